/** Tools that change files, pack them, or fetch them. An option that is missing here asks. */
import { named, reader, type Tool, tool } from "./Tool.ts"

const copying = "-a -b -d -f -i -l -L -n -p -P -r -R -s -S= -u -v -x -H -t> -T --archive --attributes-only --backup? --copy-contents --dereference --force --interactive --link --no-clobber --no-dereference --no-preserve= --no-target-directory --one-file-system --parents --preserve? --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --suffix= --symbolic-link --target-directory> --update? --verbose"

const compressing = tool("write", "-# -c -d -f -h -k -l -n -N -q -r -t -v -z --best --decompress --fast --force --keep --list --name --no-name --quiet --recursive --stdout --test --to-stdout --uncompress --verbose -T= --threads= -e --extreme")

export const fileTools: Readonly<Record<string, Tool>> = {
  // Folders
  ...named("cd chdir", tool("enter", "-L -P -e")),
  mkdir: tool("write", "-m= -p -v --mode= --parents --verbose"),
  rmdir: tool("write", "-p -v --ignore-fail-on-non-empty --parents --verbose"),
  // Files
  ...named("cp gcp", tool("copy", copying, { recursive: "-a -r -R --recursive --archive" })),
  dd: tool("pairs", ""),
  install: tool("copy", "-b -c -C -D -d -g= -m= -o= -p -s -S= -t> -T -v --backup? --compare --directory --group= --mode= --owner= --preserve-timestamps --suffix= --target-directory> --no-target-directory --verbose --strip-program!"),
  ...named("ln link", tool("write", "-b -d -f -i -L -n -P -r -s -S= -t> -T -v --backup? --force --interactive --logical --no-dereference --no-target-directory --physical --relative --suffix= --symbolic --target-directory> --verbose")),
  mv: tool("write", "-b -f -i -n -S= -t> -T -u -v --backup? --force --interactive --no-clobber --no-target-directory --strip-trailing-slashes --suffix= --target-directory> --update? --verbose"),
  ...named("rm unlink trash shred", tool("write", "-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --preserve-root? --recursive --verbose")),
  tee: tool("write", "-a -i -p --append --ignore-interrupts --output-error?"),
  touch: tool("write", "-a -c -d= -f -h -m -r< -t= --date= --no-create --no-dereference --reference< --time="),
  truncate: tool("write", "-c -o -r< -s= --io-blocks --no-create --reference< --size="),
  ...named("chgrp chmod chown", tool("mode", "-c -f -h -H -L -P -R -v --changes --dereference --from= --no-dereference --no-preserve-root --preserve-root --quiet --recursive --reference< --silent --verbose")),
  split: tool("filter", "-a= -b= -C= -d -e -l= -n= -t= -u -x --additional-suffix= --bytes= --elide-empty-files --hex-suffixes? --line-bytes= --lines= --number= --numeric-suffixes? --separator= --suffix-length= --unbuffered --verbose --filter!"),
  csplit: tool("filter", "-b= -f= -k -n= -q -s -z --digits= --elide-empty-files --keep-files --prefix= --quiet --silent --suffix-format= --suppress-matched"),
  patch: tool("write", "-b -E -f -F= -i< -l -N -p= -R -s -t -u -Z --backup --batch --dry-run --force --forward --fuzz= --ignore-whitespace --input< --quiet --reverse --silent --strip= --unified --verbose"),
  // Archives: listing alone, since unpacking writes whatever names the archive holds
  ...named("tar gtar bsdtar", tool("text", "-t -v -f< -z -j -J -a -O -n --list --verbose --file< --gzip --bzip2 --xz --zstd --auto-compress --wildcards --exclude= --full-time --numeric-owner -I! --use-compress-program! --to-command! --checkpoint-action! --rsh-command! --rmt-command! --info-script! --new-volume-script! -F!", { readOnly: true })),
  ...named("unzip zipinfo", tool("read", "-l -v -t -Z -z -1 -2 -q", { readOnly: true })),
  zip: tool("write", "-# -@ -9 -D -e -j -q -r -u -v -x= -y --exclude= --quiet --recurse-paths -T! -TT! --unzip-command!"),
  ...named("bunzip2 bzip2 gunzip gzip lz4 pigz unxz unzstd xz zstd", compressing),
  // Network
  curl: tool("url", "-# -0 -1 -2 -3 -4 -6 -a -A= -b% -B -d% -e= -f -g -G -H% -i -I -j -k -l -L -m= -M -n^ -N -p -r= -s -S -u= -v -w% -X= -y= -Y= -z= --anyauth --basic --compressed --connect-timeout= --data% --data-ascii% --data-binary% --data-raw= --data-urlencode% --digest --fail --fail-early --fail-with-body --get --globoff --head --header% --http1.0 --http1.1 --http2 --http3 --include --insecure --ipv4 --ipv6 --json% --limit-rate= --location --location-trusted --max-redirs= --max-time= --no-buffer --no-progress-meter --parallel --path-as-is --post301 --post302 --progress-bar --range= --referer= --remote-time --request= --resolve= --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --show-error --silent --ssl-reqd --tlsv1.2 --tlsv1.3 --trace-time --url= --url-query= --user= --user-agent= --verbose --write-out% -o> --output> --output-dir> -K! --config! --netrc-file! --proto-default! --engine! --libcurl!"),
  wget: tool("url", "-4 -6 -b -c -d -e! -l= -N -nc -nd -nH -np -nv -q -r -S -t= -T= -U= -v --config! --content-disposition --continue --connect-timeout= --debug --execute! --header= --https-only --level= --max-redirect= --method= --no-check-certificate --no-clobber --no-directories --no-parent --no-verbose --progress= --quiet --read-timeout= --recursive --referer= --retry-connrefused --server-response --show-progress --spider --timeout= --timestamping --tries= --use-askpass! --user-agent= --verbose --wait= --waitretry= -O> --output-document> -o> --output-file> -P> --directory-prefix>"),
  rsync: tool("copy", "-0 -4 -6 -a -A -b -c -C -d -D -E -g -h -H -i -I -k -K -l -L -m -n -N -o -O -p -P -q -r -R -s -S -t -u -U -v -W -x -X -y -z --append --archive --backup --bwlimit= --checksum --compress --contimeout= --copy-links --cvs-exclude --delete --delete-after --delete-before --delete-during --delete-excluded --dirs --dry-run --exclude= --exclude-from< --existing --files-from< --filter= --fuzzy --group --hard-links --human-readable --ignore-existing --ignore-times --include= --include-from< --info= --inplace --itemize-changes --links --list-only --max-size= --min-size= --no-group --no-owner --no-perms --numeric-ids --omit-dir-times --one-file-system --out-format= --owner --partial --partial-dir= --perms --port= --progress --prune-empty-dirs --quiet --recursive --relative --remove-source-files --safe-links --size-only --sparse --stats --temp-dir= --timeout= --times --update --verbose --whole-file --xattrs -e! --rsh! --rsync-path! --log-file> --daemon^ --config! -M! --remote-option! -T>", { recursive: "-a -r --archive --recursive" }),
  ...named("scp sftp", tool("copy", "-1 -3 -4 -6 -B -C -c= -l= -p -P= -q -r -v -i< -D! -F! -J! -o! -S! -b! -s= -X=", { recursive: "-r" })),
  ...named("dig host nslookup ping ping6 whois traceroute", reader("text", "-4 -6 -a -c= -i= -W= -w= -n -q -t= -v -x -p= -s= -u")),
  openssl: tool("any", "", { subs: { version: reader("none", "-a"), rand: tool("text", "-hex -base64", { single: true }), dgst: reader("read", "-sha1 -sha256 -sha384 -sha512 -md5 -hex -r", { single: true }) } })
}
