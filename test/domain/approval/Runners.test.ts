import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rule from "../../../src/domain/approval/Rule.ts"

const places = { root: "/p", home: "/h" }
const program = (command: string): string => command.slice(0, command.indexOf(" "))

/** Each runs `evil`, or what nobody has read. */
const runners = `
socat - EXEC:evil
socat TCP:h:1 SYSTEM:evil,pty
nc -e evil h 1
ncat --sh-exec evil h 1
op run -- evil
doppler run -- evil
aws-vault exec profile -- evil
chamber exec service -- evil
nix run nixpkgs#evil
nix develop -c evil
nix shell nixpkgs#x --command evil
guix shell evil -- evil
gcc -wrapper evil x.c
g++ -fplugin=./evil.so x.cc
clang -Xclang -load x.c
gcc -B. x.c
rustc -C linker=evil x.rs
ghc -pgmF evil x.hs
sqlite3 x.db ".shell evil"
sqlite3 x.db
psql -c "\\\\! evil"
psql
mysql -e "\\\\! evil"
tcpdump -i lo -z evil
pandoc --filter evil x.md
pandoc -F evil x.md
pdflatex -shell-escape x.tex
nmap --script evil h
m4 x.m4
at now
crontab evil
run-parts evil.d
ansible all -m shell -a evil
apt-get -o APT::Update::Pre-Invoke::=evil update
gpg --photo-viewer evil --list-keys
restic --password-command evil snapshots
borg create --rsh evil
protoc --plugin=protoc-gen-x=evil x.proto
bazel run x --run_under=evil
dpkg --pre-invoke=evil -i x.deb
ip netns exec x evil
lxc exec box -- evil
capsh -- -c evil
trap evil EXIT
trap -- "evil" 0
find . -exec evil {} +
fd x -x evil
start-stop-daemon --start --exec evil
prlimit --nproc=2 evil
linux64 evil
chronic evil
concurrently evil
nodemon --exec evil
watchexec -- evil
cross-env A=1 evil
sops exec-env file evil
anything --exec evil
anything -- evil
anything --ssh-command=evil
`.trim().split("\n")

describe("a program that runs others", () => {
  it.each(runners)("%s is not allowed by its name, nor past a deny of what it runs", (command) => {
    const broad = Rule.compile({ allow: [`Bash(${program(command)}:*)`], deny: ["Bash(evil:*)"] }, places)
    // A rule that allows whatever it runs may be refused when it is loaded.
    const rules = Result.isSuccess(broad) ? broad.success : Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"], deny: ["Bash(evil:*)"] }, places))
    assert.notStrictEqual(Rule.evaluate(rules, { tool: "Bash", command }).decision, "allow")
  })

  it.each(["op", "chronic", "linux64", "concurrently", "cross-env", "julia", "octave", "java"].flatMap((name) => name === "op" ? ["op run"] : [name]))(
    "Bash(%s:*) is refused when it is loaded",
    (prefix) => assert.isTrue(Result.isFailure(Rule.compile({ allow: [`Bash(${prefix}:*)`] }, places)))
  )

  it.each([
    "gcc -O2 -Wall -c a.c -o a.o", "g++ -std=c++20 a.cc", "sqlite3 x.db 'select 1'", "psql -c 'select 1'", "mysql -e 'select 1'", "op item list", "terraform plan -out=x",
    "ffmpeg -i a -vf scale=1:2 b", "dotnet test", "tcpdump -r x.pcap", "pandoc -o x.html x.md", "pdflatex x.tex", "nmap -p 80 127.0.0.1", "dpkg -l", "apt-get install x",
    "ip addr show", "doppler secrets", "nix build", "rustc --edition 2024 x.rs", "bazel build :all"
  ])("%s is allowed by its name", (command) => {
    const rules = Result.getOrThrow(Rule.compile({ allow: [`Bash(${program(command)}:*)`], deny: ["Bash(evil:*)"] }, places))
    assert.strictEqual(Rule.evaluate(rules, { tool: "Bash", command }).decision, "allow")
  })
})
