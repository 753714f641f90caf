import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import corpus from "../../corpora/paths.json" with { type: "json" }

const places = { root: "/home/dev/proj", home: "/home/dev" }
const decide = (call: Rule.Call, allow: ReadonlyArray<string> = ["Edit(**)", "Read(**)", "Edit", "Read"]) =>
  Rule.evaluate(Result.getOrThrow(Rule.compile({ allow }, places)), call).decision

describe("the corpus of protected paths", () => {
  const rows = corpus.rows.filter(({ category, expected, op, path }) => op === "write" && expected !== "allow" && (category === "protected" || /^\.(?:git|cursor)/i.test(path)))

  it.each(rows)("$id: writing $path is $expected", ({ expected, path }) => {
    assert.strictEqual(decide({ tool: "Edit", path }), expected)
  })
})

describe("writing", () => {
  it.each([".git/config", ".git", "sub/.GIT/hooks/x", "../.git/config", ".git./config", ".git /x", ".git\u200c/x", "GIT~1/config", "src/../.git/x", "a/.git/modules/y"])("%j is denied", (path) => {
    assert.strictEqual(decide({ tool: "Edit", path }, ["Edit", "Edit(.git)", `Edit(.git/config)`]), "deny")
  })

  it.each([
    ".env", ".ENV", ".env.local", "sub/.env", "server.pem", "ID_RSA", "~/.bashrc", "~/.zshenv", "~/.ssh/config", ".vscode/tasks.json", ".idea/x", ".dacapo/config.jsonc", ".claude/settings.json",
    "CLAUDE.md", "agents.md", ".mcp.json", ".github/workflows/x.yml", ".gitlab-ci.yml", "Jenkinsfile", ".husky/x", ".gitconfig", ".gitmodules", ".npmrc", ".envrc", "/etc/hosts", ".vimrc"
  ])("%s asks, whatever is allowed broadly", (path) => assert.strictEqual(decide({ tool: "Edit", path }), "ask"))

  it.each([
    ".yarnrc.yml", ".pnpmfile.cjs", ".pnp.cjs", "bunfig.toml", ".yarn/releases/yarn-4.1.0.cjs", ".yarn/plugins/x.cjs", "node_modules/.bin/tsc", "mise.toml", ".mise.local.toml", ".mise/config.toml", ".config/mise.toml",
    ".tool-versions", ".prototools", "aqua.yaml", "rust-toolchain", "sub/Rust-Toolchain.toml", ".cargo/config.toml", ".cargo/config", ".direnv/x", "pyvenv.cfg", ".venv/bin/python", "venv/bin/pip", "src/sitecustomize.py",
    "lib/site-packages/a.pth", "uv.toml", "gradle/wrapper/gradle-wrapper.properties", "gradle/wrapper/gradle-wrapper.jar", ".mvn/extensions.xml", ".bazelrc", "tools/bazel", "NuGet.config", ".Rprofile", ".gdbinit", ".bundle/config",
    ".hg/hgrc", ".gitattributes", "sub/.gitmodules", ".devcontainer/devcontainer.json", "php.ini"
  ])("%s asks: a program would run or load what it says", (path) => assert.strictEqual(decide({ tool: "Edit", path }), "ask"))

  it.each([
    "package.json", "build.rs", "Makefile", "conftest.py", "gradlew", "build.gradle", "pom.xml", "pyproject.toml", "Cargo.toml", ".nvmrc", ".python-version", "yarn.lock", "docs/mise.md", "src/bunfig.ts", "models/net.pth",
    "bin/tool", "src/history.ts", "src/venv.ts", "webpack.config.js", "tools/build.ts"
  ])("%s is free: it is what a build that was allowed is made of", (path) => assert.strictEqual(decide({ tool: "Edit", path }), "allow"))

  it.each(["src/a.ts", ".gitignore", "environment.ts", "keys.ts", "docs/agents/x.md", "github/x", "a.git/x"])("%s is free", (path) => {
    assert.strictEqual(decide({ tool: "Edit", path }), "allow")
  })

  it("is allowed by a rule that spells the name", () => {
    assert.deepStrictEqual([decide({ tool: "Edit", path: ".github/workflows/ci.yml" }, ["Edit(.github/workflows/ci.yml)"]), decide({ tool: "Edit", path: ".github/workflows/ci.yml" }, ["Edit(.github/**)"])], ["allow", "ask"])
  })

  it("looks at where a link leads", () => {
    assert.strictEqual(decide({ tool: "Edit", path: "src/a", resolvedPath: "/home/dev/proj/.git/config" }), "deny")
  })
})

describe("reading", () => {
  it.each([".env", "sub/.ENV.local", "server.key", "~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "/proc/self/environ", ".npmrc", "sub/.npmrc", ".cargo/credentials.toml", ".terraformrc", ".bash_history", ".zsh_history", ".python_history", ".histfile", ".local/share/fish/fish_history", ".mozilla/firefox/x.default/cookies.sqlite", "profile/logins.json", ".config/google-chrome/Default/Cookies", ".config/chromium/Default/x", "Library/Application Support/Google/Chrome/Default/Login Data"])("%s asks", (path) => {
    assert.strictEqual(decide({ tool: "Read", path }), "ask")
  })

  it.each(["src/a.ts", ".git/config", ".github/workflows/ci.yml", "AGENTS.md", ".yarnrc.yml", "rust-toolchain.toml", "src/history", "history.md", ".config/app.json", "src/firefox/cookies.ts", "config/chromium.ts"])("%s is free", (path) => {
    assert.strictEqual(decide({ tool: "Read", path }), "allow")
  })
})
