import { assert, describe, it } from "@effect/vitest"
import * as CommandEnvironment from "../../../src/domain/tool/CommandEnvironment.ts"

describe("the environment of a command", () => {
  const secrets: Record<string, string> = {
    ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x", GITHUB_TOKEN: "x", GH_TOKEN: "x", NPM_TOKEN: "x", npm_config__authToken: "x",
    AWS_SECRET_ACCESS_KEY: "x", AWS_ACCESS_KEY_ID: "x", AWS_SESSION_TOKEN: "x", GOOGLE_APPLICATION_CREDENTIALS: "x",
    DB_PASSWORD: "x", PGPASSWORD: "x", MY_SECRET: "x", CLIENT_SECRET_ID: "x", STRIPE_KEY: "x", SIGNING_KEY_BASE64: "x", GITLAB_PAT: "x",
    SESSION_COOKIE: "x", DATABASE_URL: "postgres://user:pass@host/db", HARMLESS: `ghp_${"a".repeat(24)}`, PLAIN: `sk-${"a".repeat(24)}`
  }
  const kept: Record<string, string> = {
    PATH: "/bin", HOME: "/h", LANG: "C", SSH_AUTH_SOCK: "/s", TOKENIZERS_PARALLELISM: "true", KEYBOARD: "us", COMPASS: "n",
    MONKEY: "m", XDG_RUNTIME_DIR: "/r", HTTPS_PROXY: "http://u:p@proxy:1", NODE_OPTIONS: "--x", GOPATH: "/g", PATTERN: "p",
    REDIS_URL: "redis://localhost:6379", AUTHOR: "a"
  }
  const meaning = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_ls%%", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE", "POSIXLY_CORRECT"]

  for (const [name, value] of Object.entries(secrets)) {
    it(`has no ${name}=${value.slice(0, 12)}`, () => assert.notProperty(CommandEnvironment.scrub({ [name]: value }), name))
  }
  for (const [name, value] of Object.entries(kept)) {
    it(`keeps ${name}`, () => assert.strictEqual(CommandEnvironment.scrub({ [name]: value })[name], value))
  }
  for (const name of meaning) {
    it(`lets ${name} change no shell`, () => assert.notProperty(CommandEnvironment.scrub({ [name]: "x" }), name))
  }

  it("asks nothing and pages nothing", () => {
    const { EDITOR, GIT_TERMINAL_PROMPT, PAGER, TERM } = CommandEnvironment.scrub({ PAGER: "less", EDITOR: "vim", TERM: "xterm" })
    assert.deepStrictEqual({ EDITOR, GIT_TERMINAL_PROMPT, PAGER, TERM }, { EDITOR: "true", GIT_TERMINAL_PROMPT: "0", PAGER: "cat", TERM: "dumb" })
    assert.notProperty(CommandEnvironment.scrub({ CI: undefined }), "CI")
  })
})
