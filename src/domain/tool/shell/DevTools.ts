/** Interpreters, package managers, builders and test runners. Options that are not listed here ask. */
import { forNames, reader, refusedTool, type Tool, tool } from "./Tool.ts"

const packageTool = tool(
  "any",
  "-d -D -E -f -g -O -P -S -w -y --audit --dev --exact --force --frozen-lockfile --global --ignore-scripts --immutable --include= --legacy-peer-deps --lockfile-only --no-audit --no-fund --no-optional --no-save --offline --omit= --optional --package-lock-only --peer --prefer-offline --production --quiet --recursive --save --save-dev --save-exact --save-optional --save-peer --save-prod --silent --strict-peer-dependencies --verbose --workspace= --workspaces"
)

const listTool = reader(
  "any",
  "-a -g -l --all --depth= --dev --global --json --long --omit= --only= --parseable --prod --production --recursive --workspace= --workspaces"
)

/** Runs whatever a project file defines under a name, so a rule must spell out the name. */
const scriptTool = tool(
  "name",
  "-s -w= --if-present --silent --workspace= --workspaces --include-workspace-root --recursive -r --parallel --filter= --stream --loglevel= --no-bail"
)

/** Scripts with names of their own. */
const lifecycleTool = tool("text", "-s -w= --if-present --silent --workspace= --workspaces --loglevel=")

const manager = (subs: Readonly<Record<string, Tool>>, readers: Readonly<Record<string, Tool>> = {}): Tool =>
  tool("name", "-s --silent --quiet --no-color --color? --loglevel= --json", {
    subs: {
      ...forNames("add ci i in install rebuild remove rm uninstall un unlink up update upgrade dedupe prune", packageTool),
      ...forNames("audit explain info la list ll ls outdated search show v view why licenses", listTool),
      ...forNames("rum run run-script", scriptTool),
      ...forNames("restart start stop t tst test", lifecycleTool),
      ...forNames("bin help ping prefix root whoami", reader("text", "-g --global")),
      pack: tool("any", "--dry-run --json"),
      ...subs
    },
    readingForms: [reader("name", "-s --silent --json", { subs: readers })]
  })

const goFlags =
  "-a -asmflags= -bench= -benchmem -benchtime= -blockprofile> -buildmode= -buildvcs= -c -count= -cover -covermode= -coverpkg= -coverprofile> -cpu= -cpuprofile> -e -f= -failfast -find -fuzz= -fuzztime= -gcflags= -i -installsuffix= -json -list= -m -memprofile> -mod= -msan -asan -n -o> -p= -parallel= -race -retracted -run= -short -shuffle= -skip= -tags= -test -timeout= -trimpath -u -v -versions -vet= -work -x -deps -t -compiled -toolexec! -exec! -ldflags! -overlay! -modfile! -pkgdir! -vettool! -compiler! -gccgoflags! -C/"
const go = (operands: "any" | "name"): Tool => tool(operands, goFlags, { single: true, stops: operands === "name" })

const cargo = tool(
  "any",
  "-# -F= -j= -p= -q -r -v -vv --all --all-features --all-targets --benches --bin= --bins --color= --dev --doc --example= --examples --exclude= --features= --frozen --ignore-rust-version --jobs= --keep-going --lib --locked --message-format= --no-default-features --no-deps --no-fail-fast --no-run --offline --open --package= --profile= --quiet --release --target= --test= --tests --timings --verbose --workspace --edges= --depth= --format= --format-version= --invert= -e= -i= --check --build --optional --aggressive --dry-run --config! -Z!",
  { stops: false }
)

const pytest = tool(
  "read",
  "-# -h -k= -l -m= -n= -q -qq -r= -s -v -vv -vvv -x --asyncio-mode= --benchmark-only --benchmark-skip --cache-clear --cache-show --capture= --co --collect-only --color= --cov? --cov-branch --cov-fail-under= --cov-report? --deselect= --disable-warnings --dist= --doctest-modules --durations= --durations-min= --exitfirst --failed-first --ff --fixtures --full-trace --ignore= --ignore-glob= --junit-xml> --junitxml> --keyword= --last-failed --lf --lfnf= --log-cli-level= --log-level= --markers --maxfail= --new-first --nf --no-cov --no-header --no-summary --numprocesses= --quiet --runslow --runxfail --setup-show --show-capture= --showlocals --sw --stepwise --strict --strict-config --strict-markers --tb= --timeout= --verbose --verbosity= --pdb^ --pdbcls! -p~ -c! --rootdir! -o! --override-ini! --confcutdir! --import-mode! --debug^ --trace^ --pyargs^ --basetemp>"
)

const make = tool(
  "name",
  "-# -B -d -i -j? -k -l? -n -p -q -r -R -s -S -t -w --always-make --debug? --dry-run --ignore-errors --jobs? --just-print --keep-going --load-average? --no-builtin-rules --no-builtin-variables --no-keep-going --no-print-directory --no-silent --output-sync? --print-data-base --print-directory --question --quiet --recon --silent --touch --trace --warn-undefined-variables -C/ --directory/ -E! --eval! -f! --file! --makefile! -I! --include-dir! -o! -W!"
)

const kubectl = reader(
  "text",
  "-A -n= -l= -o= -w --all-namespaces --context= --field-selector= --ignore-not-found --kubeconfig! --label-columns= -L= --namespace= --no-headers --output= --output-watch-events --previous -p --selector= --show-kind --show-labels --since= --since-time= --sort-by= --tail= --timestamps --watch -c= --container= --all-containers --prefix --recursive --api-version= --client --short --containers"
)

const docker = reader(
  "text",
  "-a -f= -l -n= -q -s -t --all --digests --filter= --format= --human --last= --latest --no-trunc --quiet --size --since= --tail= --timestamps --until= --details --no-stream --type="
)

const github = reader(
  "text",
  "-a= -A= -b= -B= -c -e= -f= -H= -j= -l= -L= -m= -n= -q= -R= -s= -t= -w= --assignee= --author= --base= --branch= --comments --head= --jq= --json= --label= --limit= --log --log-failed --name-only --patch --repo= --search= --sort= --state= --template= --user= --verbose --workflow= --color= --watch --required"
)
const githubPart = tool("name", "", { subs: forNames("checks diff list ls status view", github) })

export const devTools: Readonly<Record<string, Tool>> = {
  // Interpreters: the file that they run is an operand that a rule may spell out
  ...forNames(
    "node nodejs",
    tool(
      "script",
      "-c -v -h --check --disable-warning= --enable-source-maps --experimental-strip-types --experimental-test-coverage --experimental-transform-types --experimental-vm-modules --expose-gc --max-old-space-size= --no-deprecation --no-experimental-strip-types --no-warnings --preserve-symlinks --stack-trace-limit= --test --test-concurrency= --test-force-exit --test-isolation= --test-name-pattern= --test-only --test-reporter= --test-shard= --test-skip-pattern= --test-timeout= --test-update-snapshots --trace-deprecation --trace-uncaught --trace-warnings --unhandled-rejections= --watch --watch-path= -e! -p! -r! -i^ --eval! --print! --require! --import! --loader! --experimental-loader! --env-file! --env-file-if-exists! --interactive^ --run! --inspect? --inspect-brk? --build-sea! --openssl-config! --icu-data-dir! --test-reporter-destination>",
      { stops: true, idleOptions: "-v -h --version --help --test" }
    )
  ),
  ...forNames(
    "tsx ts-node",
    tool("script", "-v -h --no-cache --watch -T --transpile-only --tsconfig< -e! -p! -r! --eval! --require! --import!", {
      stops: true,
      idleOptions: "-v -h --version --help --test"
    })
  ),
  python: tool("script", "-b -B -d -E -h -I -O -OO -P -q -s -S -t -u -v -V -x -W= -X= -c! -m! -i^ --check-hash-based-pycs=", {
    stops: true,
    idleOptions: "-h -V --version --help"
  }),
  perl: tool("script", "-c -t -T -u -U -v -w -W -X -C? -e! -E! -I! -M! -m! -n^ -p^ -i? -x? -d! -D? -s^ -S^ -F!", {
    stops: true,
    idleOptions: "-v --version --help"
  }),
  ruby: tool(
    "script",
    "-c -h -v -w -W? -y --copyright --disable= --enable= --verbose --yjit --jit -e! -r! -I! -n^ -p^ -i? -x? -C! -S^ -s^",
    { stops: true, idleOptions: "-h -v --version --help" }
  ),
  php: tool("script", "-h -i -l -m -n -q -v -w -d! -r! -B! -R! -F! -E! -S! -a^ -c! -z! -t! -f<", {
    stops: true,
    idleOptions: "-h -i -m -v --version --help"
  }),
  ...forNames("lua luajit", tool("script", "-v -W -e! -i^ -l!", { stops: true, idleOptions: "-v" })),
  ...forNames(
    "Rscript",
    tool("script", "--vanilla --no-save --no-restore --slave --verbose -e!", { stops: true, idleOptions: "--version" })
  ),
  deno: tool("name", "-q -V --quiet --unstable", {
    subs: {
      ...forNames("check fmt lint", tool("read", "--check --json --quiet -q --watch --rules")),
      info: reader("any", "--json"),
      test: tool("read", "-q --quiet --filter= --fail-fast? --parallel --no-check --doc --coverage? --reporter= --watch")
    }
  }),
  bun: manager({ pm: tool("name", ""), build: tool("read", "--outdir> --outfile> --target= --minify --sourcemap? --splitting --watch") }),
  // Package managers
  npm: manager({
    ...forNames("fund doctor", listTool),
    version: tool("text", "--no-git-tag-version --json"),
    cache: tool("name", "")
  }, {
    ...forNames("bin prefix root", reader("none", "-g --global")),
    ...forNames("la list ll ls", reader("text", "-a -g -l --all --depth= --global --json --long --omit= --parseable")),
    config: reader("name", "", { subs: { get: reader("setting", "") } }),
    pkg: reader("name", "", { subs: { get: reader("text", "--json") } })
  }),
  pnpm: manager({ ...forNames("fetch import store", tool("name", "")) }),
  yarn: manager({ workspaces: tool("name", ""), dedupe: tool("any", "--check") }),
  ...forNames(
    "pip pip3",
    tool("name", "-q -v --quiet --verbose --no-color --disable-pip-version-check", {
      subs: {
        ...forNames("list freeze show check", reader("text", "-o --outdated --format= --local -l --user --files -f --verbose -v")),
        install: tool(
          "any",
          "-q -U -r< -c< -e< --upgrade --user --no-deps --quiet --pre --no-cache-dir --only-binary= --no-input --dry-run --require-hashes"
        ),
        uninstall: tool("any", "-y --yes -r<")
      },
      readingForms: [reader("name", "--no-color --disable-pip-version-check", {
        subs: forNames("list freeze show check", reader("text", "-f -l -v --files --format= --local --user --verbose"))
      })]
    })
  ),
  // Builders
  go: tool("name", "", {
    single: true,
    readingForms: [reader("name", "", { subs: { env: reader("text", "-json", { single: true }), version: reader("none", "") } })],
    subs: {
      ...forNames("build install test vet fmt fix", go("any")),
      ...forNames("list doc version", { ...go("any"), readOnly: true }),
      run: go("name"),
      env: reader("text", "-json -changed", { single: true }),
      get: go("any"),
      mod: tool("name", goFlags, { single: true, subs: forNames("tidy download verify graph why vendor init", go("any")) }),
      clean: tool("any", "-cache -testcache -modcache -n -x -i -r", { single: true })
    }
  }),
  cargo: tool("name", "-q -v -V --quiet --verbose --locked --offline --frozen --color= --list --config! -Z! -C! --explain=", {
    subs: {
      ...forNames("b bench build c check clean clippy d doc fetch fmt generate-lockfile r run rustc t test update add remove", cargo),
      ...forNames("metadata tree search info pkgid verify-project version locate-project", { ...cargo, readOnly: true })
    }
  }),
  ...forNames("make gmake", make),
  ...forNames(
    "just task rake ninja",
    tool(
      "name",
      "-l -n -q -v --list --summary --dry-run --quiet --verbose --evaluate --show= -j= -k= --tasks -T -P --silent -s --choose^",
      { stops: true }
    )
  ),
  ...forNames(
    "gradle gradlew mvn mvnw ant",
    tool(
      "name",
      "-B -e -o -q -U -T= -pl= -am --batch-mode --build-cache --console= --continue --daemon --info --no-daemon --offline --parallel --quiet --scan --stacktrace --tests= --dry-run -x=",
      { stops: false }
    )
  ),
  ...forNames("cmake", tool("any", "-S/ -B> -G= --build/ --target= --parallel? -j= --config= --install> --preset= -P! -C! -E! -D!")),
  // Tests and checks
  ...forNames("pytest py.test", pytest),
  ...forNames(
    "tsc",
    tool(
      "read",
      "-b -p< -v -w --build --incremental --noEmit --pretty? --project< --skipLibCheck --strict --watch --listFiles --showConfig --target= --module= --outDir> --declaration --emitDeclarationOnly --traceResolution",
      { harmless: false }
    )
  ),
  // Clusters and containers: inspection only
  kubectl: tool("name", "-n= --namespace= --context=", {
    subs: forNames("api-resources api-versions cluster-info describe explain get logs top version", kubectl)
  }),
  ...forNames(
    "docker podman",
    tool("name", "-l= --log-level= -D -v -H! --host! --config! -c! --context!", {
      subs: forNames("diff events history images info inspect logs port ps search stats top version", docker)
    })
  ),
  gh: tool("name", "", {
    subs: { ...forNames("issue pr release repo run workflow label search cache gist ruleset org project", githubPart), status: github }
  }),
  // Builtins that change the meaning of later commands
  ...forNames(". source", refusedTool("it runs a file whose commands are not read here", "script")),
  ...forNames(
    "bind caller compgen complete compopt coproc dirs enable fc getopts hash history let mapfile popd pushd readarray shopt suspend ulimit umask unalias unset",
    refusedTool("it changes the shell that later commands run in")
  ),
  ...forNames("declare export local readonly typeset", tool("sets", "")),
  read: reader("variables", "-a+ -d= -e^ -E^ -i= -n= -N= -p= -r -s -t= -u="),
  set: reader("switch", ""),
  ...forNames("break continue exit return shift times", reader("free", "")),
  ...forNames("kill logout trap", tool("free", "")),
  jobs: tool("text", "-l -n -p -r -s -x!"),
  // The variable of -p is evaluated as code
  wait: tool("text", "-f -n -p!")
}
