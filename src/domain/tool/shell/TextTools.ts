/** Tools that look and print. An option that is missing here asks. */
import { named, reader, refused, type Tool, tool } from "./Tool.ts"

const checksum = reader("read", "-b -t -z --binary --tag --text --zero", { harmless: true })

const search = "-i -v -w -x -c -l -L -n -H -h -o -q -s -r -R -E -F -G -P -z -a -b -I -U -T -Z -y -# -e@ -m= -A= -B= -C= -d= -D= -f< "
  + "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --line-number "
  + "--with-filename --no-filename --only-matching --quiet --silent --no-messages --recursive --dereference-recursive --extended-regexp "
  + "--fixed-strings --basic-regexp --perl-regexp --null-data --text --byte-offset --initial-tab --null --regexp@ --file< --max-count= "
  + "--after-context= --before-context= --context= --color? --colour? --include= --exclude= --exclude-dir= --exclude-from< --binary-files= --label= --directories= --devices="

const awk = tool("awk", "-F= -v= --field-separator= --assign= --re-interval --posix --traditional", { readOnly: true })

const sed = reader("sed", "-n -e@ -E -r -s -u -z -l= --quiet --silent --expression@ --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --line-length=")

const pager = refused("it waits for a person, who can run commands in it", "read")

export const textTools: Readonly<Record<string, Tool>> = {
  // Print files
  ...named("bzcat gzcat lz4cat xzcat zcat zstdcat", reader("read", "-f -q -v", { harmless: true })),
  cat: reader("read", "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting", { harmless: true }),
  column: reader("read", "-t -s= -o= -n -x -c= -e -J -N= -R= -H= --table --separator= --output-separator=", { harmless: true }),
  head: reader("read", "-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated", { harmless: true }),
  nl: reader("read", "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w=", { harmless: true }),
  tac: reader("read", "-b -r -s= --before --regex --separator=", { harmless: true }),
  tail: reader("read", "-# -c= -f -F -n= -q -s= -v -z --bytes= --follow? --lines= --pid= --quiet --silent --retry --sleep-interval= --verbose --zero-terminated", { harmless: true }),
  ...named("cut expand fmt fold join paste rev unexpand", reader("read", "-1= -2= -a= -b= -c= -d= -e= -f= -i -j= -n -o= -s -t= -u -v= -w= -z --bytes= --characters= --delimiter= --delimiters= --fields= --complement --only-delimited --output-delimiter= --serial --spaces --width= --tabs= --zero-terminated", { harmless: true })),
  ...named("hexdump hd od", reader("read", "-A= -a -b -c -C -d -e= -f -h -i -j= -l -n= -N= -o -s= -S= -t= -v -w? -x --address-radix= --format= --skip-bytes= --read-bytes= --width? --output-duplicates --canonical --length= --skip=", { harmless: true })),
  strings: reader("read", "-a -f -n= -o -t= -e= -s= -w --all --bytes= --radix= --encoding=", { harmless: true }),
  xxd: reader("filter", "-a -b -c= -e -g= -i -l= -n= -o= -p -ps -r -s= -u -d -E"),
  ...named("base32 base64", reader("read", "-d -i -w= --decode --ignore-garbage --wrap=", { harmless: true })),
  // Compare and count
  ...named("b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum", { ...checksum }),
  cmp: reader("read", "-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent", { harmless: true }),
  comm: reader("read", "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", { harmless: true }),
  diff: reader("read", "-# -a -b -B -c -C= -d -e -E -F= -H -i -I= -l -L= -n -N -p -P -q -r -s -S= -t -T -u -U= -w -W= -x= -X< -y -Z --brief --color? --context? --exclude= --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= --ignore-space-change --ignore-trailing-space --label= --minimal --new-file --no-dereference --normal --recursive --report-identical-files --show-c-function --side-by-side --speed-large-files --strip-trailing-cr --suppress-common-lines --text --unified? --width=", { harmless: true, recursive: "-r --recursive" }),
  uniq: reader("filter", "-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --group? --zero-terminated"),
  wc: reader("read", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= --files0-from<", { harmless: true }),
  sort: reader("read", "-b -c -C -d -f -g -h -i -k= -m -M -n -r -R -s -S= -t= -u -V -z --batch-size= --check? --dictionary-order --ignore-case --ignore-leading-blanks --ignore-nonprinting --general-numeric-sort --human-numeric-sort --key= --merge --month-sort --numeric-sort --random-sort --reverse --sort= --stable --buffer-size= --field-separator= --parallel= --unique --version-sort --zero-terminated --files0-from< --compress-program!"),
  shuf: reader("read", "-e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated"),
  // Files and folders
  ...named("ls dir vdir", reader("read", "-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --author --block-size= --classify? --color? --directory --dired --file-type --format= --full-time --group-directories-first --hide= --human-readable --hyperlink? --ignore= --ignore-backups --indicator-style= --inode --literal --no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --si --size --sort= --time= --time-style= --width=", { harmless: true })),
  tree: reader("read", "-a -C -d -D -f -F -g -h -i -I= -J -l -L= -n -p -P= -q -r -s -S -t -u -U -v -x -X --dirsfirst --du --filelimit= --gitignore --noreport --prune --si --sort= --matchdirs --metafirst"),
  ...named("eza exa lsd", reader("read", "-1 -a -A -d -D -F -g -G -h -H -i -l -L= -r -R -s= -S -t= -T -x --all --color= --git --git-ignore --group --header --icons? --level= --long --oneline --reverse --sort= --tree")),
  file: reader("read", "-b -i -k -L -h -N -p -r -s -z -F= -e= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --separator="),
  stat: reader("read", "-c= -f -L -t -x --dereference --file-system --format= --printf= --terse", { harmless: true }),
  du: reader("read", "-0 -a -A -b -B= -c -d= -D -h -H -k -l -L -m -P -s -S -t= -x --all --apparent-size --block-size= --bytes --count-links --dereference --exclude= --human-readable --inodes --max-depth= --null --one-file-system --separate-dirs --si --summarize --threshold= --time? --total", { harmless: true }),
  df: reader("text", "-a -B= -h -H -i -k -l -m -P -t= -T -x= --all --block-size= --human-readable --inodes --local --output? --portability --print-type --si --sync --total --type=", { harmless: true }),
  find: reader("find", "", { single: true }),
  ...named("fd fdfind", reader("pattern", "-0 -1 -a -A -d= -e= -E= -F -g -H -i -I -l -L -p -q -s -t= -u -x^ -X^ --absolute-path --case-sensitive --color= --exact-depth= --exclude= --extension= --fixed-strings --follow --full-path --glob --hidden --ignore-case --list-details --max-depth= --max-results= --min-depth= --no-ignore --no-ignore-vcs --print0 --quiet --size= --type= --unrestricted --changed-within= --changed-before= --exec! --exec-batch!")),
  ...named("realpath readlink", reader("text", "-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-base= --relative-to= --strip --no-symlinks --zero", { harmless: true })),
  // Search and transform
  ...named("egrep fgrep grep zgrep", reader("pattern", search, { recursive: "-r -R --recursive --dereference-recursive" })),
  rg: reader(
    "pattern",
    "-. -0 -# -a -b -c -F -h -H -i -I -l -L -n -N -o -p -P -q -s -S -u -U -v -V -w -x -A= -B= -C= -d= -e@ -E= -f< -g= -j= -m= -M= -r= -t= -T= --after-context= --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --debug --encoding= --engine= --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --hidden --iglob= --ignore-case --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-count= --max-depth= --max-filesize= --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --regexp@ --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trim --type= --type-list --type-not= --unrestricted --vimgrep --with-filename --word-regexp --file< --pre! --hostname-bin! -z^ --search-zip^",
    { recursive: "-. --hidden -u --unrestricted --no-ignore" }
  ),
  ...named("ag ack", reader("pattern", "-# -a -c -i -l -L -n -Q -r -s -S -v -w -A= -B= -C= -g= -G= --color --nocolor --column --count --hidden --ignore= --ignore-case --literal --line-number --js --ts --py --go --rust")),
  ...named("sed gsed", sed),
  ...named("awk gawk mawk nawk", awk),
  tr: reader("text", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", { harmless: true }),
  jq: reader("pattern", "-a -c -C -e -j -M -n -r -R -s -S --arg= --argjson= --ascii-output --color-output --compact-output --exit-status --indent= --join-output --monochrome-output --null-input --raw-input --raw-output --seq --slurp --sort-keys --stream --tab -f< --from-file<"),
  yq: reader("pattern", "-C -e -j -M -N -n -o= -p= -P -r --colors --no-colors --exit-status --indent= -I= --null-input --output-format= --input-format= --prettyPrint --unwrapScalar"),
  // Say something
  ...named(": echo true false", reader("free", "", { harmless: true })),
  ...named("arch groups id logname nproc pwd tty uname uptime users who whoami", reader("text", "-a -A -b -g -G -i -L -m -n -o -p -P -q -r -s -u -v -z --all --group --groups --name --kernel-name --machine --real --user --pretty --since --ignore=")),
  ...named("basename dirname", reader("text", "-a -s= -z --multiple --suffix= --zero", { harmless: true })),
  date: reader("format", "-u -R -d= -I? -r< --date= --debug --iso-8601? --reference< --rfc-2822 --rfc-3339= --rfc-email --universal --utc -j"),
  ...named("cal ncal", reader("text", "-# -1 -3 -h -j -m -s -y -A= -B= -n=")),
  ...named("expr factor seq numfmt", reader("text", "-f= -s= -w --format= --separator= --equal-width --from= --to= --suffix= --padding= --grouping --header? --field= --delimiter=", { harmless: true })),
  printf: reader("text", "-v!", { stops: true }),
  ...named("test [", reader("test", "")),
  "[[": reader("any", ""),
  sleep: reader("text", ""),
  ...named("which whereis type", reader("text", "-a -b -f -m -p -P -s -t --all", { harmless: true })),
  ...named("ps", reader("text", "-# -a -A -c -d -e -f -F -g= -H -j -l -L -m -N -o= -p= -s= -t= -T -u= -U= -w -x -y --forest --headers --no-headers --pid= --ppid= --sort= --user= --format=")),
  ...named("free vmstat", reader("text", "-b -k -m -g -h -s= -c= -t -w --human --total --wide --si")),
  ...named("nm objdump readelf size", reader("read", "-a -A -B -C -d -D -e -f -g -h -H -j= -l -n -p -r -s -S -t -T -u -V -w -W -x --all --demangle? --disassemble --dynamic --headers --symbols --syms --section= --wide")),
  ...named("cloc scc tokei", reader("read", "--by-file --json --csv --quiet --exclude-dir= --include-lang= --vcs= -s= --sort= -e= --exclude=")),
  man: reader("text", "-a -f -k -w -s= -S= --all --apropos --whatis --where --path --sections= -P! --pager! -H! --html! -X! -T! -M! -C! -p! --preprocessor! --troff! --config-file! -l! -L="),
  // With a person, or an editor
  ...named("less more most pg view vi vim nvim gvim vimdiff ex ed emacs emacsclient nano pico micro helix hx joe mc top htop btop info watchman fzf dialog whiptail", pager)
}
