import { assert, describe, it } from "@effect/vitest"
import * as CommandEnvironment from "../../../src/domain/tool/CommandEnvironment.ts"

describe("the environment of a command", () => {
  const random = (length: number) => Array.from({ length }, (_, i) => "aB3xZ9kQ2mV7tR5w"[(i * 7 + i * i) % 16]).join("")
  const pem = (kind: string) => `-----BEGIN ${kind}-----\n${"aB3d".repeat(16)}\n-----END ${kind}-----`
  const secrets: Record<string, string> = {
    MYSQL_PWD: "hunter2", REDISCLI_AUTH: "hunter2", SSHPASS: "hunter2", SLACK_WEBHOOK_URL: "https://hooks.test/services/T0/B0/x", SENTRY_DSN: "https://k@s.test/1",
    AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${random(86)}==`, REDIS_CONN_STR: "host:6379,pw",
    DOCKER_AUTH_CONFIG: "{\"auths\":{}}", COMPOSER_AUTH: "{}", BW_SESSION: "x", BUNDLE_GEMS__EXAMPLE__COM: "me:x", NuGetPackageSourceCredentials_feed: "Username=u;Password=p",
    SETTINGS: `Server=db;User Id=sa;Password=${random(12)};`, GIT_CONFIG_VALUE_0: `Authorization: Basic ${random(32)}`, STORAGE: `https://a.test/c?sv=1&sig=${random(43)}%3D`,
    KUBE: btoa(`client-key-data: x\n${pem("RSA PRIVATE KEY")}`), SETUP: JSON.stringify({ type: "service_account", private_key: pem("PRIVATE KEY") }),
    ADDRESS: `https://${random(40)}@git.test/a.git`, OTHER: random(40), CI_REPOSITORY_URL: `https://ci:${random(20)}@git.test/a.git`, EXTRA: `xoxb-${random(24)}`,
    ANTHROPIC_API_KEY: "x", OPENAI_API_KEY: "x", GITHUB_TOKEN: "x", GH_TOKEN: "x", NPM_TOKEN: "x", npm_config__authToken: "x",
    AWS_SECRET_ACCESS_KEY: "x", AWS_ACCESS_KEY_ID: "x", AWS_SESSION_TOKEN: "x", GOOGLE_APPLICATION_CREDENTIALS: "x",
    DB_PASSWORD: "x", PGPASSWORD: "x", MY_SECRET: "x", CLIENT_SECRET_ID: "x", STRIPE_KEY: "x", SIGNING_KEY_BASE64: "x", GITLAB_PAT: "x",
    SESSION_COOKIE: "x", DATABASE_URL: "postgres://user:pass@host/db", HARMLESS: `ghp_${"a".repeat(24)}`, PLAIN: `sk-${"a".repeat(24)}`
  }
  const kept: Record<string, string> = {
    PWD: "/work", OLDPWD: "/work", INIT_PWD: "/work", GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@x.test", SSH_ASKPASS: "/usr/bin/ask", GIT_ASKPASS: "/bin/ask", XAUTHORITY: "/h/.Xauthority",
    GITHUB_SHA: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", GITHUB_RUN_ID: "17234567890", GITHUB_REPOSITORY: "MyOrg2/My-Very-Long-Repository-Name-3", GITHUB_WORKFLOW_REF: "A/b/.github/workflows/ci.yml@refs/heads/main",
    TERM_SESSION_ID: "w0t0p0:01939B1E-7C1A-4000-8000-000000000000", DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/user/1000/bus,guid=86f7e437faa5a7fce15d1ddcb9eaeaea", XDG_SESSION_ID: "3",
    INVOCATION_ID: "d41d8cd98f00b204e9800998ecf8427e", npm_config_registry: "https://registry.example.org/", npm_package_integrity: `sha512-${random(86)}==`, npm_config_user_agent: "npm/11.6.1 node/v24.1.0 linux x64",
    NODE_PATH: "/nix/store/x0kasdl2mqncs8aj7bsdf23lkahsd9af-node/lib", LS_COLORS: "rs=0:di=01;34:*.key=00;90:*.tar=01;31", PS1: "\\u@\\h:\\w\\$ ", JAVA_TOOL_OPTIONS: "-Dfile.encoding=UTF-8",
    MANPATH: ":/usr/share/man", BUILD_ID: "01939b1e-7c1a-4000-8000-000000000000", IMAGE: "app@sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", LONG: "someVeryLongCamelCaseIdentifierName2With",
    DATABASE_HOST: "postgres://localhost:5432/app", WEBHOOKS_PORT: "3000", AUTH_TYPE: "basic", OAUTH_PROVIDER: "github", PASSENGER: "p",
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

  it("has no variable that repeats a secret of another one, and keeps one that holds a common word", () => {
    const variables = { NPM_TOKEN: random(36), COPY: `token ${random(36)}`, PGPASSWORD: "postgres", PGUSER: "postgres" }
    assert.hasAllKeys({ ...CommandEnvironment.withoutSecrets(variables) }, ["PGUSER"])
  })

  it("has no prompts and no pager", () => {
    const { EDITOR, GIT_TERMINAL_PROMPT, PAGER, TERM } = CommandEnvironment.scrub({ PAGER: "less", EDITOR: "vim", TERM: "xterm" })
    assert.deepStrictEqual({ EDITOR, GIT_TERMINAL_PROMPT, PAGER, TERM }, { EDITOR: "true", GIT_TERMINAL_PROMPT: "0", PAGER: "cat", TERM: "dumb" })
    assert.notProperty(CommandEnvironment.scrub({ CI: undefined }), "CI")
  })
})
