/** Nothing writes outside the folder, or where no rule allows it, whatever the form of the write and of its path. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inWorld } from "./world.ts"

/** Ways to write a file. */
const forms = [
  "echo x > PATH", "echo x >> PATH", "echo x >| PATH", "echo x &> PATH", "ls 2> PATH", "cat < notes.txt > PATH", "> PATH", "{ echo x; } > PATH", "for i in 1; do echo x; done > PATH", "echo x | tee PATH", "echo x | tee -a notes.txt PATH",
  "cp notes.txt PATH", "cp -t PATH notes.txt", "mv notes.txt PATH", "ln -s notes.txt PATH", "dd if=notes.txt of=PATH", "install notes.txt PATH", "touch PATH", "truncate -s 0 PATH", "mkdir -p PATH", "rm -f PATH", "chmod 644 PATH",
  "sed -i s/a/b/ PATH", "sed -i.bak s/a/b/ PATH", "sed --in-place=.bak -e s/a/b/ PATH", "sort -o PATH notes.txt", "sort -oPATH notes.txt", "sort --output=PATH notes.txt", "uniq notes.txt PATH", "xxd notes.txt PATH", "split notes.txt PATH", "patch PATH notes.txt",
  "gzip PATH", "zip PATH notes.txt", "curl -o PATH https://a.test", "exec 3> PATH", "echo x 1<> PATH"
]

/** Paths outside, as far as the shell takes them in each of the forms. */
const outside = [
  "ROOT/outside/x", "../outside/x", "src/../../outside/x", "src/link.txt", "src/chain.txt", "src/linkdir/x", "src/linkdir/deep/x", "src/dangling.txt", "src/linkdir/../outside/x", "\"$X\"", "\"$HOME/x\"", "\"${HOME:-}/.bashrc\"", "$(echo ../x)",
  "~/x", "~root/x", "'../outside/x'", "$'\\x2e\\x2e/outside/x'", ".en\\v", ".git/hooks/x", "src/../.git/config", ".GIT/config", "/etc/x", "/proc/self/cwd/../x"
]

const rules = [
  "Edit(src/**)", "Edit(notes.txt)",
  ...["cat", "chmod", "cp", "curl", "dd", "echo", "gzip", "install", "ln", "ls", "mkdir", "mv", "patch", "rm", "sed", "sort", "split", "tee", "touch", "truncate", "uniq", "xxd", "zip"].map((name) => `Bash(${name}:*)`)
]

const allowed = (commands: ReadonlyArray<string>, asked: { readonly allow?: ReadonlyArray<string>; readonly mode?: "auto" } = {}) =>
  inWorld(({ judge, root }) =>
    Effect.filter(commands.map((command) => command.replaceAll("ROOT", root)), (command) => Effect.map(judge(command, asked), (decision) => decision === "allow")))

const lines = (paths: ReadonlyArray<string>) => forms.flatMap((form) => paths.map((path) => form.replace("PATH", () => path)))

describe("a command that writes", () => {
  it.effect("asks in mode default without a rule, inside the folder too", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* allowed(lines(["src/new.ts", ...outside])), [])
      assert.deepStrictEqual(yield* allowed(["uniq notes.txt", "xxd notes.txt", "sort notes.txt", "sed s/a/b/ notes.txt", "ls 2> /dev/null"]), ["uniq notes.txt", "xxd notes.txt", "sort notes.txt", "sed s/a/b/ notes.txt", "ls 2> /dev/null"])
    }))

  it.effect("under rules for its name and for the files inside writes those, by what they resolve to", () =>
    Effect.gen(function*() {
      const inside = lines(["src/new.ts", "src/inside.ts", "'src/new.ts'"])
      const silent = new Set(yield* allowed(inside, { allow: rules }))
      // These two leave something open besides the file
      assert.deepStrictEqual(inside.filter((command) => !silent.has(command) && !/^exec|^mkdir.*inside|^gzip.*inside/.test(command)), [])
      assert.deepStrictEqual(yield* allowed(lines(outside), { allow: rules }), [])
    }))

  it.effect("writes nowhere outside in mode auto, and inside without a question", () =>
    Effect.gen(function*() {
      // Behind a letter bash leaves a `~` as it is: a folder of that name.
      assert.deepStrictEqual(yield* allowed(lines(outside).filter((command) => !command.includes("-o~")), { mode: "auto" }), [])
      const inside = lines(["src/new.ts"]).filter((command) => !/^(?:exec|curl|dd|mv|rm|truncate)/.test(command))
      assert.deepStrictEqual(yield* allowed(inside, { mode: "auto" }), inside)
    }))
})

describe("mode auto", () => {
  it.effect("runs what builds, tests, formats and looks, and asks for all that is not known to be everyday work", () =>
    Effect.gen(function*() {
      const everyday = [
        "make build", "make", "node scripts/build.mjs", "node --test", "pytest", "cargo test", "cargo build --release", "go test ./...", "tsc -p .", "eslint src", "prettier --write src", "vitest run", "./gradlew test", "./scripts/check.sh",
        "ln -s a.ts src/c.ts", "cd src && ln -s a.ts c.ts", "gcc -Isrc -Wall -osrc/x src/a.c",
        "mkdir -p src/x && touch src/x/y.ts", "cp src/a.ts src/c.ts", "sed -i s/foo/bar/ src/a.ts", "cd src && ls", "CI=1 make test", "timeout 60 make test", "gcc -o build/a src/a.c", "ruff check .", "for f in src/*.ts; do prettier --check \"$f\"; done", "cat src/a.ts > src/copy.ts",
        "go run .", "go run ./cmd/x", "go env", "mvn -q -DskipTests package", "gradle :app:test", "./gradlew test", "dotnet run --project src", "deno test", "deno task check", "bun run build", "mix test", "cargo -q build", "zig build", "playwright test",
        "jest -t \"GET /users\"", "make -j\"$(nproc)\""
      ]
      const asks = [
        "sudo ls", "sudo make install", "crontab notes.txt", "crontab -l", "systemctl --user enable x", "aws s3 cp notes.txt s3://b", "gcloud auth list", "kill -9 -1", "kill -1 1", "kill 1234", "pkill node", "killall node", "echo x > \"${HOME:-}/.bashrc\"", "echo x > \"$F\"",
        "tee \"$F\"", "cp src/a.ts \"$F\"", "frobnicate", "at now", "launchctl load x", "ssh host ls", "nohup ./x", "LD_PRELOAD=./x.so ls", "PATH=.:$PATH make", "/tmp/x", "../outside/x", "~/bin/x", "src/linkdir/x.sh", "./src/link.txt", "src/../../outside/x.sh", "open notes.txt", "mail a@b.test", "chsh -s /bin/x",
        "cd src && ln -s ../outside ../new && cat ../new/secret.txt", "ln -t src ../outside", "gcc -osrc/linkdir/x src/a.c", "gcc -E -imacros../outside/secret.txt src/a.c",
        "useradd x", "mount x y", "passwd", "osascript -e 1", "xdg-open x", "terraform apply", "psql -c x", "redis-cli flushall", "cat /etc/passwd", "cat src/link.txt", "cat .env", "cp --weird src/a.ts src/b.ts", "curl https://a.test", "docker ps", "ls; frobnicate", "true && sudo x",
        // Beyond what is there: packages by name, settings of the user, publishing
        "go run example.com/x@latest", "go env -w GOFLAGS=-x", "go mod download", "mvn deploy", "mvn org.example:plugin:exec", "./gradlew publish", "dotnet tool install x", "deno run npm:x", "deno run https://a.test/x.ts", "deno install x", "bun add x", "mix hex.publish", "swift package update",
        "cargo +nightly build", "cargo build --config 'target.x.runner=[\"sh\",\"-c\",\"x\"]'", "zig fetch x", "playwright install",
        // Projects and files elsewhere, and any text
        "go run ../outside/x.go", "mvn -f .. test", "mvn -f src/linkdir test", "gradle -p .. test", "mvn -f \"$F\" test", "prettier --write \"$F\"", "for f in src/*; do prettier --write \"$f\"; done", "while read -r f; do eslint \"$f\"; done < notes.txt"
      ]
      assert.deepStrictEqual(yield* allowed([...everyday, ...asks], { mode: "auto" }), everyday)
    }))
})
