/** Programs that run other programs, as data: their options, and where the other program's words begin. */
import { type Options, options } from "./Options.ts"
import { forNames } from "./Tool.ts"

export interface Wrapper {
  readonly options: Options
  /** A subcommand that makes it a wrapper: `docker exec`. Words before it are options. */
  readonly sub?: ReadonlyArray<string>
  /** Its own operands before the other program. */
  readonly operands?: number
  /** `NAME=value` may stand before the other program. */
  readonly assigns?: boolean
  /** The other words are program text: joined into one, or each its own. */
  readonly joins?: "one" | "each"
  /** With only these options it does not affect what runs: the allow walk ignores it. */
  readonly transparent?: ReadonlySet<string>
  /** With only these options it does nothing besides giving arguments to the other program. */
  readonly neutral?: ReadonlySet<string>
  /** With one of these it runs nothing, as in `command -v`. */
  readonly idle?: ReadonlySet<string>
  /** It adds arguments that are known only at run time: `xargs`. */
  readonly feeds?: boolean
}

const wrapper = (
  tokens: string,
  settings: Omit<Wrapper, "options" | "transparent" | "neutral" | "idle" | "sub"> & {
    transparent?: string
    neutral?: string
    idle?: string
    sub?: string
  } = {}
): Wrapper => {
  const { idle, neutral, sub, transparent, ...rest } = settings
  return {
    ...rest,
    options: options(tokens),
    ...(sub === undefined ? {} : { sub: sub.split(" ") }),
    ...(transparent === undefined ? {} : { transparent: new Set(transparent.split(" ")) }),
    ...(neutral === undefined ? {} : { neutral: new Set(neutral.split(" ")) }),
    ...(idle === undefined ? {} : { idle: new Set(idle.split(" ")) })
  }
}

const container =
  "-d -i -t --interactive --tty --rm --privileged --detach --init -e= --env= --env-file= -u= --user= -w= --workdir= -v= --volume= --mount= --name= --network= --net= -p= --publish= -P --entrypoint= --platform= -h= --hostname= -l= --label= --detach-keys= --add-host= --gpus= -m= --memory= --cpus= --pull= --restart= --read-only"

/** By base name; several if the subcommand decides. */
const table: Readonly<Record<string, Wrapper | ReadonlyArray<Wrapper>>> = {
  // Of the shell
  builtin: wrapper("", { transparent: "" }),
  command: wrapper("-p -v -V", { transparent: "", idle: "-v -V" }),
  coproc: wrapper(""),
  eval: wrapper("", { joins: "one", transparent: "" }),
  exec: wrapper("-a= -c -l"),
  // Time, priority, signals, output
  caffeinate: wrapper("-d -i -m -s -u -t= -w="),
  chrt: wrapper(
    "-a -b -f -i -m -o -r -d -R -v -T= -P= -D= -p= --batch --fifo --idle --other --rr --deadline --reset-on-fork --sched-runtime= --sched-period= --sched-deadline=",
    { operands: 1 }
  ),
  cpulimit: wrapper("-l= -z -i -v -c= -b -q -m -k -r -s= -f -p= -e= -P= --limit= --foreground --lazy"),
  eatmydata: wrapper(""),
  ionice: wrapper("-c= -n= -t -p= -P= -u= --class= --classdata= --ignore", { transparent: "-c -n -t --class --classdata --ignore" }),
  nice: wrapper("-n= --adjustment= -#", { transparent: "-n --adjustment -#" }),
  nohup: wrapper(""),
  numactl: wrapper("-i= -m= -N= -C= -p= -l -s -H -b= -w= --interleave= --membind= --cpunodebind= --physcpubind= --preferred= --localalloc"),
  setsid: wrapper("-c -f -w --ctty --fork --wait"),
  stdbuf: wrapper("-i= -o= -e= --input= --output= --error=", { transparent: "-i -o -e --input --output --error" }),
  taskset: wrapper("-a -p -c --all-tasks --pid --cpu-list", { operands: 1 }),
  time: wrapper("-p -v -a -f= -o= -q --append --format= --output= --portability --verbose --quiet", {
    transparent: "-p -v --portability --verbose"
  }),
  timeout: wrapper("-f -p -v -k= -s= --foreground --preserve-status --verbose --kill-after= --signal=", {
    operands: 1,
    transparent: "-f -p -v -k -s --foreground --preserve-status --verbose --kill-after --signal"
  }),
  unbuffer: wrapper("-p"),
  watch: wrapper(
    "-b -c -C -d? -e -g -n= -p -q= -r -t -w -x --beep --color --no-color --differences? --errexit --chgexit --interval= --precise --equexit= --no-rerun --no-title --no-wrap --exec",
    { joins: "one" }
  ),
  // Run with fewer resources, or another architecture
  ...forNames("chronic ifne linux32 linux64 i386 x86_64 wine wine64 box64 qemu-x86_64 qemu-aarch64", wrapper("")),
  cgexec: wrapper("-g= --sticky"),
  prlimit: wrapper("-p= --pid= -n? --as? --core? --cpu? --data? --fsize? --nofile? --nproc? --rss? --stack? --noheadings --raw --verbose"),
  setarch: wrapper(
    "-v -R -B -F -I -L -S -T -X -Z -3 --verbose --addr-no-randomize --fdpic-funcptrs --mmap-page-zero --addr-compat-layout --read-implies-exec --32bit --short-inode --whole-seconds --sticky-timeouts --3gb --4gb --uname-2.6",
    { operands: 1 }
  ),
  "start-stop-daemon": wrapper(
    "-S -K -b -m -o -q -t -v -x$ --exec$ -a$ --startas$ -p= -u= -c= -d= -n= -r= --start --stop --background --make-pidfile --oknodo --quiet --test --verbose --pidfile= --user= --chuid= --chdir= --name= --retry= --"
  ),
  daemonize: wrapper("-a -c= -e= -o= -p= -l= -u= -v"),
  // Many at once, or each on a change
  concurrently: wrapper(
    "-k -n= -c= -p= -r --kill-others --kill-others-on-fail --names= --prefix-colors= --prefix= --raw --max-processes= -m= --success= --restart-tries= --no-color --timings",
    { joins: "each" }
  ),
  "run-s": wrapper("-c -l -n -s", { joins: "each" }),
  mispipe: wrapper("", { joins: "each" }),
  pee: wrapper("", { joins: "each" }),
  nodemon: wrapper("-e= -w= -i= -d= -q -V -x$ --exec$ --ext= --watch= --ignore= --delay= --signal= --quiet --verbose --config= -L"),
  watchexec: wrapper(
    "-c -e= -f= -i= -n -r -s= -w= -d= -p --clear? --exts= --filter= --ignore= --restart --signal= --watch= --debounce= --postpone --no-vcs-ignore --no-default-ignore --shell= --",
    { joins: "one" }
  ),
  // Another user, another environment
  ...forNames("cross-env env-cmd dotenvx", wrapper("-f= -e= --file= --environments= --no-override --use-shell --", { assigns: true })),
  "cross-env-shell": wrapper("", { assigns: true, joins: "one" }),
  "aws-vault": wrapper("-n -d= -t= -j --no-session --duration= --mfa-token= --region= --server --ecs-server --backend= --prompt= --", {
    sub: "exec",
    operands: 1
  }),
  chamber: wrapper("--pristine --strict -s= -b= --", { sub: "exec", operands: 1 }),
  ...forNames(
    "doppler infisical op teller foreman heroku fly railway",
    wrapper(
      "-a= -c= -e= -p= -t= --account= --app= --config= --env= --env-file= --environment= --no-masking --path= --project= --token= --mount= --command$ --",
      { sub: "run" }
    )
  ),
  sops: wrapper("", { sub: "exec-env exec-file", operands: 1, joins: "one" }),
  doas: wrapper("-a= -C= -u= -n -s -L"),
  env: wrapper(
    "-i -0 -v -u= -C= -S$ -a= --ignore-environment --null --debug --unset= --chdir= --split-string$ --argv0= --list-signal-handling --block-signal? --default-signal? --ignore-signal? -",
    { assigns: true, transparent: "" }
  ),
  fakeroot: wrapper("-l= -s= -i= -u -b= -h -v --lib= --faked= --unknown-is-real --"),
  faketime: wrapper("-f -m -p= --exclude-monotonic", { operands: 1 }),
  gosu: wrapper("", { operands: 1 }),
  pkexec: wrapper("-u= --user= --disable-internal-agent --keep-cwd"),
  proxychains: wrapper("-q -f="),
  proxychains4: wrapper("-q -f="),
  runuser: wrapper(
    "-u= -g= -G= -l -m -p -P -f -s= -c$ -w= - --user= --group= --supp-group= --login --preserve-environment --pty --fast --shell= --command$ --session-command$",
    { operands: 0 }
  ),
  setpriv: wrapper(
    "-d --clear-groups --groups= --inh-caps= --ambient-caps= --bounding-set= --init-groups --keep-groups --no-new-privs --nnp --reuid= --regid= --ruid= --euid= --rgid= --egid= --reset-env --pdeathsig= --securebits= --selinux-label= --apparmor-profile="
  ),
  su: wrapper(
    "-l -m -p -P -f -s= -c$ -g= -G= -w= - --login --preserve-environment --pty --fast --shell= --command$ --session-command$ --group= --supp-group= --whitelist-environment=",
    { operands: 9 }
  ),
  sudo: wrapper(
    "-A -b -E -e -H -h= -i -K -k -l -N -n -P -S -s -v -C= -D= -g= -p= -R= -r= -T= -t= -U= -u= --askpass --background --bell --close-from= --chdir= --preserve-env? --edit --group= --set-home --host= --login --remove-timestamp --reset-timestamp --list --no-update --non-interactive --preserve-groups --prompt= --chroot= --role= --stdin --shell --type= --command-timeout= --other-user= --user= --validate",
    { assigns: true }
  ),
  torsocks: wrapper("-a= -d -i -p= -P= -q -u= --address= --port= --isolate --quiet"),
  // Isolation
  bwrap: wrapper(""),
  chroot: wrapper("--groups= --userspec= --skip-chdir", { operands: 1 }),
  firejail: wrapper(""),
  flock: wrapper(
    "-e -F -n -o -s -u -x -w= -E= -c$ --exclusive --no-fork --nonblock --nb --close --shared --unlock --timeout= --wait= --conflict-exit-code= --command$ --verbose",
    { operands: 1 }
  ),
  nsenter: wrapper(
    "-a -t= -m? -u? -i? -n? -p? -U? -C? -T? -S= -G= -r? -w? -W? -e -F -Z --all --target= --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time? --setuid= --setgid= --root? --wd? --wdns? --env --no-fork --preserve-credentials"
  ),
  proot: wrapper("-r= -b= -q= -w= -v= -k= -0 -R= -S= -i= --rootfs= --bind= --cwd="),
  "systemd-inhibit": wrapper("--what= --who= --why= --mode= --no-pager --no-legend --list"),
  "systemd-run": wrapper(
    "-d -t -P -q -G -S -r -p= -u= -E= -H= -M= --scope --user --system --slice= --uid= --gid= --nice= --working-directory= --same-dir --pty --pipe --quiet --collect --shell --wait --remain-after-exit --no-block --no-ask-password --unit= --property= --description= --setenv= --on-active= --on-boot= --on-calendar= --host= --machine= --service-type="
  ),
  unshare: wrapper(
    "-i? -m? -n? -p? -u? -U? -C? -T? -f -r -c -R= -w= -S= -G= --ipc? --mount? --net? --pid? --uts? --user? --cgroup? --time? --fork --map-root-user --map-current-user --map-auto --map-user= --map-group= --map-users= --map-groups= --mount-proc? --propagation= --setgroups= --root= --wd= --setuid= --setgid= --kill-child? --keep-caps --monotonic= --boottime="
  ),
  "xvfb-run": wrapper(
    "-a -e= -f= -h -l -n= -p= -s= -w= --auto-servernum --error-file= --auth-file= --listen-tcp --server-num= --xauth-protocol= --server-args= --wait="
  ),
  "dbus-run-session": wrapper("--config-file= --dbus-daemon="),
  // Tracing and measuring
  gdb: wrapper("-q -batch --batch -n -nx --quiet --args -ex= -x= --command= -iex= -ix= --cd= -d="),
  hyperfine: wrapper(
    "-w= -m= -M= -r= -s= -p= -c= -N -i -S= -u= --warmup= --runs= --min-runs= --max-runs= --setup= --prepare= --cleanup= --shell= --export-json= --export-markdown= --export-csv= -n= --command-name= --ignore-failure --show-output --style= --time-unit=",
    { joins: "each" }
  ),
  ltrace: wrapper("-a= -A= -b -c -C -D= -e= -f -F= -i -L -l= -n= -o= -p= -r -s= -S -t -T -u= -w= -x="),
  perf: wrapper("-e= -a -g -o= -r= -d -p= -F= -B -v -i -q -C= -x= -I= --event= --repeat= --output= --call-graph= --all-cpus", {
    sub: "stat record trace"
  }),
  strace: wrapper(
    "-a= -A -b= -c -C -d -D -e= -E= -f -F -h -i -I= -k -n -N -o= -O= -p= -P= -q -r -s= -S= -t -T -u= -U= -v -V -w -x -X= -y -Y -z -Z --trace= --output= --string-limit= --follow-forks --summary-only --quiet? --signal= --user= --attach="
  ),
  valgrind: wrapper(
    "-v -q --tool= --leak-check= --log-file= --error-exitcode= --trace-children= --track-origins= --show-leak-kinds= --suppressions= --num-callers="
  ),
  // From input, in parallel
  entr: wrapper("-a -c -d -n -p -r -s -x -z", { feeds: true }),
  parallel: wrapper(
    "-j= -k -u -n= -N= -m -X -I= -a= -d= -q -t -v -0 --jobs= --keep-order --ungroup --line-buffer --lb --halt= --dry-run --dryrun --delay= --timeout= --retries= --joblog= --results= --tag --bar --eta --progress --pipe --block= --colsep= -C= --arg-file= --null --no-run-if-empty -r --shuf --will-cite --xargs --max-args= --link --memfree= --load= --nice= --workdir= --env= -S= --sshlogin= --plus --rpl=",
    { joins: "one", feeds: true }
  ),
  xargs: wrapper(
    "-0 -a= -d= -E= -e? -I= -i? -L= -l? -n= -o -p -P= -r -s= -t -x -J= -R= -S= --null --arg-file= --delimiter= --eof? --replace? --max-lines? --max-args= --open-tty --interactive --max-procs= --no-run-if-empty --max-chars= --verbose --exit --show-limits --process-slot-var=",
    {
      feeds: true,
      neutral:
        "-0 -d -I -i -L -l -n -P -r -t -x --null --delimiter --replace --max-lines --max-args --max-procs --no-run-if-empty --verbose --exit"
    }
  ),
  // Other machines and containers
  docker: [
    wrapper(container, { sub: "exec run", operands: 1 }),
    wrapper(container, { sub: "container", operands: 2 }),
    wrapper(`${container} -T --no-deps --service-ports`, { sub: "compose", operands: 2 })
  ],
  kubectl: wrapper("-n= -c= -i -t -it -q --namespace= --container= --stdin --tty --context= --kubeconfig= --cluster= --user= --", {
    sub: "exec",
    operands: 1
  }),
  mosh: wrapper("--ssh= --server= --predict= -p= --port=", { operands: 1, joins: "one" }),
  podman: wrapper(container, { sub: "exec run", operands: 1 }),
  ssh: wrapper(
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -P= -p= -Q= -R= -S= -W= -w=",
    { operands: 1, joins: "one" }
  ),
  sshpass: wrapper("-p= -f= -d= -e -P= -v"),
  ip: wrapper("-4 -6 -j -p -n= --netns=", { sub: "netns", operands: 2 }),
  ...forNames(
    "lxc incus",
    wrapper("-T -t -n --cwd= --env= --mode= --user= --group= --force-interactive --disable-stdin --", { sub: "exec", operands: 1 })
  ),
  machinectl: wrapper("-q -E= --uid= --setenv= --", { sub: "shell", operands: 1 }),
  ...forNames("distrobox toolbox", wrapper("-n= --name= -c= --container= -r= --", { sub: "enter run" })),
  schroot: wrapper("-c= -u= -d= -p -q -v --chroot= --user= --directory= --preserve-environment --quiet --"),
  "systemd-nspawn": wrapper(
    "-D= -M= -u= -q -b -x -i= --directory= --machine= --user= --quiet --ephemeral --image= --bind= --bind-ro= --setenv= --private-network --as-pid2 --"
  ),
  ...forNames("flatpak snap", wrapper("--command$ --branch= --arch= --devel --shell", { sub: "run", operands: 1 })),
  // One binary of many programs
  busybox: wrapper(""),
  toybox: wrapper(""),
  // Package and environment runners
  asdf: wrapper("", { sub: "exec" }),
  bundle: wrapper("", { sub: "exec" }),
  bunx: wrapper("--bun --silent --verbose -p= --package="),
  bun: wrapper("", { sub: "x" }),
  conda: wrapper("-n= -p= --name= --prefix= --no-capture-output --live-stream --cwd=", { sub: "run" }),
  corepack: wrapper(""),
  direnv: wrapper("", { sub: "exec", operands: 1 }),
  dotenv: wrapper("-e= -c -v= -o -- -p= --override"),
  mise: wrapper("-C= -q -y --cd= --quiet --yes --jobs= -j=", { sub: "exec x", operands: 0 }),
  "nix-shell": wrapper("-p= --pure --packages= --run$ --command$ -I= --arg= --argstr=", { operands: 9 }),
  npm: wrapper("-y --yes --no -p= --package= -c$ --call$ -w= --workspace= --workspaces", { sub: "exec x" }),
  npx: wrapper("-y -q --yes --no --no-install --quiet --ignore-existing -p= --package= -c$ --call$"),
  pdm: wrapper("-p= -s --project= --site-packages", { sub: "run" }),
  pipenv: wrapper("", { sub: "run" }),
  pipx: wrapper("--spec= --pip-args= --python= --no-cache --quiet", { sub: "run" }),
  pnpm: wrapper("-r -C= --recursive --parallel --filter= --dir= -c --shell-mode --package=", { sub: "exec dlx" }),
  poetry: wrapper("-C= -P= -q --directory= --project= --quiet", { sub: "run" }),
  rbenv: wrapper("", { sub: "exec" }),
  rye: wrapper("", { sub: "run" }),
  uv: wrapper(
    "-q --with= --python= -p= --no-sync --frozen --locked --isolated --extra= --group= --all-extras --project= --directory= --env-file= -m",
    { sub: "run" }
  ),
  uvx: wrapper("-q --from= --with= --python= -p= --isolated"),
  yarn: wrapper("-p= --package= -q --quiet", { sub: "exec dlx" }),
  // Terminals and sessions
  dtach: wrapper("-A= -c= -n= -N= -E -z -r= -e="),
  rlwrap: wrapper("-a? -c -C= -f= -H= -i -m? -n -r -s= -S= -p?"),
  screen: wrapper("-d -m -D -S= -L -U -q -c= -h= -t= -T= -dm -dmS="),
  script: wrapper(
    "-a -e -f -q -c$ -E= -I= -O= -B= -T= -m= -o= --append --command$ --return --flush --force --quiet --log-in= --log-out= --log-io= --log-timing= --output-limit=",
    { operands: 9 }
  ),
  "ssh-agent": wrapper("-D -d -a= -E= -O= -P= -t= -c -s -k"),
  tmux: [
    wrapper("-d -A -P -D -X -s= -n= -c= -t= -x= -y= -e= -f= -F= -h -v -b -l= -p= -k -a -S -Z -I", {
      sub: "new new-session neww new-window splitw split-window respawn-pane respawnp respawn-window",
      joins: "one"
    }),
    wrapper("-b -C -t= -c= -d=", { sub: "run run-shell if if-shell popup display-popup", joins: "one" })
  ]
}

/** `/lib64/ld-linux-x86-64.so.2 /bin/rm` runs its operand. */
const loader = wrapper("--list --verify --inhibit-cache --library-path= --inhibit-rpath= --audit= --preload= --argv0=")

export const wrappersOf = (name: string): ReadonlyArray<Wrapper> => {
  const entry = Object.hasOwn(table, name) ? table[name]
    : /^ld(?:-linux.*|-musl.*)?\.so(?:\.\d+)*$|^ld-(?:linux|musl)/.test(name) ? loader : undefined
  return entry === undefined ? [] : "options" in entry ? [entry] : entry
}

export const isWrapper = (name: string): boolean => wrappersOf(name).length > 0

const shells = new Set([
  "ash",
  "bash",
  "csh",
  "dash",
  "fish",
  "ksh",
  "ksh93",
  "mksh",
  "pwsh",
  "rbash",
  "rksh",
  "sh",
  "tcsh",
  "yash",
  "zsh",
  "elvish",
  "nu",
  "xonsh"
])

export const isShell = (name: string): boolean => shells.has(name)

const interpreters =
  /^(?:python|pypy|ruby|perl|php|node|lua|tclsh|wish)\d*(?:\.\d+)*$|^(?:nodejs|deno|bun|luajit|R|Rscript|osascript|java|julia|octave|elixir|kotlin|mono|ocaml|runghc|runhaskell|swift|dart|expect|ts-node|tsx|irb|ghci|iex|erl|guile|racket|sbcl|scala|groovy|jshell|ipython3?|bpython|powershell)$/

/** Programs that run program text of their own language. */
export const isInterpreter = (name: string): boolean => interpreters.test(name)
