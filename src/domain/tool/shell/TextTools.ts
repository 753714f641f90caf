/** Tools that read and print. Options that are not listed here ask. */
import { type Tool, forNames, reader, refusedTool, tool } from "./Tool.ts"

const checksum = reader("read", "-b -t -z --binary --tag --text --zero", { harmless: true })

const search = "-i -v -w -x -c -l -L -n -H -h -o -q -s -r -R -E -F -G -P -z -a -b -I -U -T -Z -y -# -e@ -m= -A= -B= -C= -d= -D= -f< "
  + "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --line-number "
  + "--with-filename --no-filename --only-matching --quiet --silent --no-messages --recursive --dereference-recursive --extended-regexp "
  + "--fixed-strings --basic-regexp --perl-regexp --null-data --text --byte-offset --initial-tab --null --regexp@ --file< --max-count= "
  + "--after-context= --before-context= --context= --color? --colour? --include= --exclude= --exclude-dir= --exclude-from< --binary-files= --label= --directories= --devices="

const awk = tool("awk", "-F= -v= --field-separator= --assign= --re-interval --posix --traditional", { readOnly: true })

const sed = reader(
  "sed",
  "-i? --in-place? -n -e@ -E -r -s -u -z -l= --quiet --silent --expression@ --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --line-length=",
  { inPlaceOptions: "-i --in-place" }
)

const pager = refusedTool("it waits for a person, who can run commands in it", "read")

export const textTools: Readonly<Record<string, Tool>> = {
  // Print files
  ...forNames("bzcat gzcat lz4cat xzcat zcat zstdcat", reader("read", "-f -q -v", { harmless: true })),
  cat: reader(
    "read",
    "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    { harmless: true }
  ),
  column: reader("read", "-t -s= -o= -n -x -c= -e -J -N= -R= -H= --table --separator= --output-separator=", { harmless: true }),
  head: reader("read", "-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated", { harmless: true }),
  nl: reader("read", "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w=", { harmless: true }),
  tac: reader("read", "-b -r -s= --before --regex --separator=", { harmless: true }),
  tail: reader(
    "read",
    "-# -c= -f -F -n= -q -s= -v -z --bytes= --follow? --lines= --pid= --quiet --silent --retry --sleep-interval= --verbose --zero-terminated",
    { harmless: true }
  ),
  cut: reader(
    "read",
    "-b= -c= -d= -f= -n -s -w -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated",
    { harmless: true }
  ),
  ...forNames("expand unexpand", reader("read", "-a -i -t= --all --first-only --initial --tabs=", { harmless: true })),
  ...forNames(
    "fmt fold",
    reader(
      "read",
      "-b -c -g= -p= -s -t -u -w= --bytes --characters --crown-margin --goal= --prefix= --spaces --split-only --tagged-paragraph --uniform-spacing --width=",
      { harmless: true }
    )
  ),
  join: reader("read", "-1= -2= -a= -e= -i -j= -o= -t= -v= -z --check-order --header --ignore-case --nocheck-order --zero-terminated", {
    harmless: true
  }),
  paste: reader("read", "-d= -s -z --delimiters= --serial --zero-terminated", { harmless: true }),
  rev: reader("read", "", { harmless: true }),
  ...forNames(
    "hexdump hd",
    reader(
      "read",
      "-b -c -C -d -e= -n= -o -s= -v -x --canonical --format= --length= --no-squeezing --one-byte-char --one-byte-octal --skip= --two-bytes-decimal --two-bytes-hex --two-bytes-octal",
      { harmless: true }
    )
  ),
  od: reader(
    "read",
    "-A= -a -b -c -d -f -h -i -j= -l -N= -o -s -S= -t= -v -w? -x --address-radix= --endian= --format= --output-duplicates --read-bytes= --skip-bytes= --strings? --width?",
    { harmless: true }
  ),
  strings: reader("read", "-a -f -n= -o -t= -e= -s= -w --all --bytes= --radix= --encoding="),
  xxd: reader("filter", "-a -b -c= -e -g= -i -l= -n= -o= -p -ps -r -s= -u -d -E"),
  ...forNames("base32 base64", reader("read", "-d -i -w= --decode --ignore-garbage --wrap=", { harmless: true })),
  // Compare and count
  ...forNames("b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum", { ...checksum }),
  cmp: reader("read", "-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent", { harmless: true }),
  comm: reader("read", "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", { harmless: true }),
  diff: reader(
    "read",
    "-# -a -b -B -c -C= -d -e -E -F= -H -i -I= -l -L= -n -N -p -P -q -r -s -S= -t -T -u -U= -w -W= -x= -X< -y -Z --brief --color? --context? --exclude= --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= --ignore-space-change --ignore-trailing-space --label= --minimal --new-file --no-dereference --normal --recursive --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified? --width=",
    { harmless: true, recursiveOptions: "*", followOptions: "*", excludeOptions: "-x --exclude", excludeFolderOptions: "-x --exclude" }
  ),
  uniq: reader(
    "filter",
    "-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --group? --zero-terminated"
  ),
  wc: reader("read", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= --files0-from*", { harmlessNames: true }),
  sort: reader(
    "read",
    "-o> --output> -b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -S= -t= -u -V -z --batch-size= --check? --dictionary-order --ignore-case --ignore-leading-blanks --ignore-nonprinting --general-numeric-sort --human-numeric-sort --key= --merge --month-sort --numeric-sort --random-sort --reverse --sort= --stable --buffer-size= --field-separator= --parallel= --unique --version-sort --zero-terminated --files0-from* --compress-program!"
  ),
  shuf: reader("read", "-e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated"),
  // Files and folders
  ...forNames(
    "ls dir vdir",
    reader(
      "read",
      "-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --author --block-size= --classify? --color? --directory --dired --file-type --format= --full-time --group-directories-first --hide= --human-readable --hyperlink? --ignore= --ignore-backups --indicator-style= --inode --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --si --size --sort= --time= --time-style= --width=",
      { harmless: true }
    )
  ),
  tree: reader(
    "read",
    "-a -C -d -D -f -F -g -h -i -I= -J -l -L= -n -p -P= -q -r -s -S -t -u -U -v -x -X --dirsfirst --du --filelimit= --gitignore --noreport --prune --si --sort= --matchdirs --metafirst"
  ),
  ...forNames(
    "eza exa lsd",
    reader(
      "read",
      "-1 -a -A -d -D -F -g -G -h -H -i -l -L= -r -R -s= -S -t= -T -x --all --color= --git --git-ignore --group --header --icons? --level= --long --oneline --reverse --sort= --tree"
    )
  ),
  file: reader(
    "read",
    "-f* --files-from* -b -i -k -L -h -N -p -r -s -z -F= -e= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --separator="
  ),
  stat: reader("read", "-c= -f -L -t -x --dereference --file-system --format= --printf= --terse", { harmless: true }),
  du: reader(
    "read",
    "-0 -a -A -b -B= -c -d= -D -h -H -k -l -L -m -P -s -S -t= -x --all --apparent-size --block-size= --bytes --count-links --dereference --exclude= --human-readable --inodes --max-depth= --null --one-file-system --separate-dirs --si --summarize --threshold= --time? --total",
    { harmless: true }
  ),
  df: reader(
    "text",
    "-a -B= -h -H -i -k -l -m -P -t= -T -x= --all --block-size= --human-readable --inodes --local --output? --portability --print-type --si --sync --total --type=",
    { harmless: true }
  ),
  find: reader("find", "", { single: true }),
  ...forNames(
    "fd fdfind",
    reader(
      "pattern",
      "-0 -1 -a -A -d= -e= -E= -F -g -H -i -I -l -L -p -q -s -t= -u -x^ -X^ --absolute-path --case-sensitive --color= --exact-depth= --exclude= --extension= --fixed-strings --follow --full-path --glob --hidden --ignore-case --list-details --max-depth= --max-results= --min-depth= --no-ignore --no-ignore-vcs --print0 --quiet --size= --type= --unrestricted --changed-within= --changed-before= --exec! --exec-batch!"
    )
  ),
  ...forNames(
    "realpath readlink",
    reader(
      "text",
      "-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-base= --relative-to= --strip --no-symlinks --zero",
      { harmless: true }
    )
  ),
  // Search and transform
  ...forNames(
    "egrep fgrep grep zgrep",
    reader("pattern", search, {
      harmlessNames: true,
      recursiveOptions: "-r -R -d --recursive --dereference-recursive --directories",
      followOptions: "-R --dereference-recursive",
      pathsOnlyOptions: "-f --file",
      includeOptions: "--include",
      excludeOptions: "--exclude",
      excludeFolderOptions: "--exclude-dir"
    })
  ),
  rg: reader(
    "pattern",
    "-. -0 -# -a -b -c -F -h -H -i -I -l -L -n -N -o -p -P -q -s -S -u -U -v -V -w -x -A= -B= -C= -d= -e@ -E= -f< -g= -j= -m= -M= -r= -t= -T= --after-context= --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --debug --encoding= --engine= --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --hidden --iglob= --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-count= --max-depth= --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp@ --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trim --type= --type-list --type-not= --unrestricted --vimgrep --with-filename --word-regexp --file< --pre! --hostname-bin! -z^ --search-zip^",
    {
      recursiveOptions: "*",
      followOptions: "-L --follow",
      hiddenOptions: "-. --hidden -u --unrestricted",
      includeOptions: "-g --glob --iglob",
      pathsOnlyOptions: "-f --file --files --type-list"
    }
  ),
  ...forNames(
    "ag ack",
    reader(
      "pattern",
      "-# -a -c -i -l -L -n -Q -r -s -S -v -w -A= -B= -C= -g@ -G= --color --nocolor --column --count --hidden --ignore= --ignore-case --literal --line-number --js --ts --py --go --rust",
      { recursiveOptions: "*", followOptions: "*" }
    )
  ),
  ...forNames("sed gsed", sed),
  ...forNames("awk gawk mawk nawk", awk),
  tr: reader("text", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", { harmless: true }),
  jq: reader(
    "jq",
    "-a -c -C -e -j -M -n -r -R -s -S --arg== --argjson== --ascii-output --color-output --compact-output --exit-status --indent= --join-output --monochrome-output --null-input --raw-input --raw-output --seq --slurp --sort-keys --stream --tab -f* --from-file* --rawfile=< --slurpfile=<"
  ),
  yq: reader(
    "yq",
    "-C -e -j -M -N -n -o= -p= -P -r --colors --no-colors --exit-status --indent= -I= --null-input --output-format= --input-format= --prettyPrint --unwrapScalar"
  ),
  // Print information
  ...forNames(": echo true false yes", reader("free", "", { harmless: true })),
  ...forNames(
    "arch logname nproc pwd tty uname uptime users who whoami",
    reader("none", "-a -A -b -i -L -m -n -o -p -P -q -r -s -u -v --all --kernel-name --machine --pretty --since --ignore=")
  ),
  ...forNames("groups id", reader("text", "-a -A -g -G -n -p -P -r -u -z --group --groups --name --real --user")),
  ...forNames("basename dirname", reader("text", "-a -s= -z --multiple --suffix= --zero", { harmless: true })),
  date: reader(
    "format",
    "-f* --file* -u -R -d= -I? -r< --date= --debug --iso-8601? --reference< --rfc-2822 --rfc-3339= --rfc-email --universal --utc -j"
  ),
  ...forNames("cal ncal", reader("text", "-# -1 -3 -h -j -m -s -y -A= -B= -n=")),
  ...forNames(
    "expr factor seq numfmt",
    reader(
      "text",
      "-f= -s= -w --format= --separator= --equal-width --from= --to= --suffix= --padding= --grouping --header? --field= --delimiter=",
      { harmless: true }
    )
  ),
  printf: reader("printf", "-v!", { stops: true }),
  ...forNames("test [", reader("test", "")),
  "[[": reader("any", ""),
  hostname: reader("none", "-f -s -i -I --fqdn --short"),
  sleep: reader("text", ""),
  locale: reader("none", "-a -m"),
  dpkg: reader("text", "-l -L -s -S --list --listfiles --search --status", {
    requiredOptions: "-l -L -s -S --list --listfiles --search --status"
  }),
  lscpu: reader("none", "-a -e -J --all --extended --json"),
  sw_vers: reader("none", "-productName -productVersion -buildVersion", { single: true }),
  lsof: reader("none", "-i= -n -P -t -s= -a -c= -u= -w"),
  ...forNames("ss netstat", reader("text", "-a -l -n -p -s -t -u -4 -6 -H --all --listening --numeric --processes --summary --tcp --udp")),
  pgrep: reader("text", "-a -f -l -n -o -u= -x -i -c --count --exact --full --ignore-case --list-full --list-name --newest --oldest"),
  ...forNames("which whereis type", reader("text", "-a -b -f -m -p -P -s -t --all", { harmless: true })),
  ps: reader("processes", ""),
  ...forNames("free vmstat", reader("text", "-b -k -m -g -h -s= -c= -t -w --human --total --wide --si")),
  ...forNames(
    "nm readelf size",
    reader(
      "read",
      "-a -A -B -C -d -D -e -f -g -h -H -j= -l -n -p -r -s -S -t -T -u -V -w -W -x --all --demangle? --dynamic --headers --symbols --syms --section= --wide"
    )
  ),
  // Without -S and -l, which open the source files that a program names
  objdump: reader(
    "read",
    "-a -C -d -D -e -f -g -h -H -j= -p -r -s -t -T -V -w -W -x --all-headers --demangle? --disassemble --section= --syms --wide"
  ),
  ...forNames("scc tokei", reader("read", "--by-file --json --csv --quiet --exclude-dir= --include-lang= -s= --sort= -e= --exclude=")),
  man: reader(
    "page",
    "-a -f -k -w -s= -S= --all --apropos --whatis --where --path --sections= -P! --pager! -H! --html! -X! -T! -M! -C! -p! --preprocessor! --troff! --config-file! -l! -L="
  ),
  // Interactive tools and editors
  ...forNames(
    "less more most pg view vi vim nvim gvim vimdiff ex ed emacs emacsclient nano pico micro helix hx joe mc top htop btop info watchman fzf dialog whiptail",
    pager
  )
}

// Tools that change files, pack them, or fetch them. Options that are not listed here ask.

const copyOptions =
  "-a -b -d -f -i -l -L -n -p -P -r -R -s -S= -u -v -x -H -t> -T --archive --attributes-only --backup? --copy-contents --dereference --force --interactive --link --no-clobber --no-dereference --no-preserve= --no-target-directory --one-file-system --parents --preserve? --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --suffix= --symbolic-link --target-directory> --update? --verbose"

const compressorOptions =
  "-# -c -d -f -h -k -l -n -N -q -r -t -v -z --best --decompress --fast --force --keep --list --name --no-name --quiet --recursive --stdout --test --to-stdout --uncompress --verbose -T= --threads= -e --extreme"
const compressor = tool("write", compressorOptions)

/** With these they write to standard output, or nothing. `lz4 -c a b` is another matter: it names its output. */
const streamCompressor = tool("write", compressorOptions, {
  readingForms: [
    reader("read", "-# -c -d -k -n -q -t -v --decompress --keep --quiet --stdout --test --to-stdout --uncompress --verbose", {
      requiredOptions: "-c -t --stdout --test --to-stdout"
    })
  ]
})

export const fileTools: Readonly<Record<string, Tool>> = {
  // Folders
  ...forNames("cd chdir", reader("enter", "-L -P -e")),
  mkdir: tool("write", "-m= -p -v --mode= --parents --verbose", { editsFiles: true }),
  rmdir: tool("write", "-p -v --ignore-fail-on-non-empty --parents --verbose"),
  // Files
  ...forNames(
    "cp gcp",
    tool("copy", copyOptions, { recursiveOptions: "-a -r -R --recursive --archive", followOptions: "-L --dereference", editsFiles: true })
  ),
  dd: tool("pairs", ""),
  install: tool(
    "copy",
    "-b -c -C -D -d -g= -m= -o= -p -s -S= -t> -T -v --backup? --compare --directory --group= --mode= --owner= --preserve-timestamps --suffix= --target-directory> --no-target-directory --verbose --strip-program!"
  ),
  ...forNames(
    "ln link",
    tool(
      "link",
      "-b -d -f -i -L -n -P -r -s -S= -T -v --backup? --force --interactive --logical --no-dereference --no-target-directory --physical --relative --suffix= --symbolic --verbose"
    )
  ),
  mv: tool(
    "move",
    "-b -f -i -n -S= -t> -T -u -v --backup? --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes --suffix= --target-directory> --update? --verbose",
    { editsFiles: true }
  ),
  ...forNames(
    "rm unlink trash shred",
    tool("write", "-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --preserve-root? --recursive --verbose")
  ),
  tee: tool("write", "-a -i -p --append --ignore-interrupts --output-error?", { editsFiles: true }),
  touch: tool("write", "-a -c -d= -f -h -m -r< -t= --date= --no-create --no-dereference --reference< --time=", { editsFiles: true }),
  truncate: tool("write", "-c -o -r< -s= --io-blocks --no-create --reference< --size="),
  ...forNames(
    "chgrp chmod chown",
    tool(
      "mode",
      "-c -f -h -H -L -P -R -v --changes --dereference --from= --no-dereference --no-preserve-root --preserve-root --quiet --recursive --reference< --silent --verbose"
    )
  ),
  split: tool(
    "filter",
    "-a= -b= -C= -d -e -l= -n= -t= -u -x --additional-suffix= --bytes= --elide-empty-files --hex-suffixes? --line-bytes= --lines= --number= --numeric-suffixes? --separator= --suffix-length= --unbuffered --verbose --filter!"
  ),
  csplit: tool(
    "filter",
    "-b= -f= -k -n= -q -s -z --digits= --elide-empty-files --keep-files --prefix= --quiet --silent --suffix-format= --suppress-matched"
  ),
  patch: tool(
    "write",
    "-b -E -f -F= -i< -l -N -p= -R -s -t -u -Z --backup --batch --dry-run --force --forward --fuzz= --ignore-whitespace --input< --quiet --reverse --silent --strip= --unified --verbose"
  ),
  // Archives: listing only, since unpacking writes whatever names the archive holds
  ...forNames(
    "tar gtar bsdtar",
    reader(
      "text",
      "-t -v -f& -z -j -J -a -O -n --list --verbose --file& --gzip --bzip2 --xz --zstd --auto-compress --wildcards --exclude= --full-time --numeric-owner -I! --use-compress-program! --to-command! --checkpoint-action! --rsh-command! --rmt-command! --info-script! --new-volume-script! -F!"
    )
  ),
  unzip: reader("read", "-l -v -t -Z -z -1 -2 -q", { requiredOptions: "-l -v -t -Z -z" }),
  zipinfo: reader("read", "-1 -2 -h -l -m -s -t -v -z"),
  zip: tool("write", "-# -@ -9 -D -e -j -q -r -u -v -x= -y --exclude= --quiet --recurse-paths -T! -TT! --unzip-command!"),
  ...forNames("lz4 pigz unzstd zstd", compressor),
  ...forNames("bunzip2 bzip2 gunzip gzip unxz xz", streamCompressor),
  // Network
  curl: tool(
    "url",
    "-# -0 -1 -2 -3 -4 -6 -a -A= -b% -B -d% -e= -f -g -G -H% -i -I -j -k -l -L -m= -M -n^ -N -p -r= -s -S -u= -v -w% -X= -y= -Y= -z= --anyauth --basic --compressed --connect-timeout= --data% --data-ascii% --data-binary% --data-raw= --data-urlencode% --digest --fail --fail-early --fail-with-body --get --globoff --head --header% --http1.0 --http1.1 --http2 --http3 --include --insecure --ipv4 --ipv6 --json% --limit-rate= --location --location-trusted --max-redirs= --max-time= --no-buffer --no-progress-meter --parallel --path-as-is --post301 --post302 --progress-bar --range= --referer= --remote-time --request= --resolve= --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --show-error --silent --ssl-reqd --tlsv1.2 --tlsv1.3 --trace-time --url= --url-query= --user= --user-agent= --verbose --write-out% -o> --output> --output-dir> -K! --config! --netrc-file! --proto-default! --engine! --libcurl!"
  ),
  wget: tool(
    "url",
    "-4 -6 -b -c -d -e! -l= -N -nc -nd -nH -np -nv -q -r -S -t= -T= -U= -v --config! --content-disposition --continue --connect-timeout= --debug --execute! --header= --https-only --level= --max-redirect= --method= --no-check-certificate --no-clobber --no-directories --no-parent --no-verbose --progress= --quiet --read-timeout= --recursive --referer= --retry-connrefused --server-response --show-progress --spider --timeout= --timestamping --tries= --use-askpass! --user-agent= --verbose --wait= --waitretry= -O> --output-document> -o> --output-file> -P> --directory-prefix>"
  ),
  rsync: tool(
    "copy",
    "-0 -4 -6 -a -A -b -c -C -d -D -E -g -h -H -i -I -k -K -l -L -m -n -N -o -O -p -P -q -r -R -s -S -t -u -U -v -W -x -X -y -z --append --archive --backup --bwlimit= --checksum --compress --contimeout= --copy-links --cvs-exclude --delete --delete-after --delete-before --delete-during --delete-excluded --dirs --dry-run --exclude= --exclude-from< --existing --files-from< --filter= --fuzzy --group --hard-links --human-readable --ignore-existing --ignore-times --include= --include-from< --info= --inplace --itemize-changes --links --list-only --max-size= --min-size= --no-group --no-owner --no-perms --numeric-ids --omit-dir-times --one-file-system --out-format= --owner --partial --partial-dir= --perms --port= --progress --prune-empty-dirs --quiet --recursive --relative --remove-source-files --safe-links --size-only --sparse --stats --temp-dir= --timeout= --times --update --verbose --whole-file --xattrs -e! --rsh! --rsync-path! --log-file> --daemon^ --config! -M! --remote-option! -T>",
    { recursiveOptions: "-a -r --archive --recursive" }
  ),
  ...forNames(
    "scp sftp",
    tool("copy", "-1 -3 -4 -6 -B -C -c= -l= -p -P= -q -r -v -i< -D! -F! -J! -o! -S! -b! -s= -X=", { recursiveOptions: "-r" })
  ),
  // Even a name lookup leaks the data in the name
  ...forNames("dig host nslookup ping ping6 whois traceroute", tool("text", "-4 -6 -a -c= -i= -W= -w= -n -q -t= -v -x -p= -s= -u")),
  openssl: tool("any", "", {
    subs: {
      version: reader("none", "-a"),
      rand: tool("text", "-hex -base64", { single: true }),
      dgst: reader("read", "-sha1 -sha256 -sha384 -sha512 -md5 -hex -r", { single: true })
    }
  })
}
