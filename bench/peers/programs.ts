/** The agents that are compared: how each is called for one prompt, on a server of ours instead of its provider's. */

export type WireName = "messages" | "responses"

export interface Invocation {
  /** The server, without a path. */
  readonly url: string
  /** An empty folder for settings. */
  readonly home: string
  readonly prompt: string
}

/** `args` and `variables` set up one run without prompts for permission; `files` are written into `home` before. */
export interface Peer {
  readonly name: string
  /** Its npm package. */
  readonly package?: string
  readonly wire: WireName
  readonly args: (invocation: Invocation) => ReadonlyArray<string>
  readonly variables: (invocation: Invocation) => Readonly<Record<string, string>>
  readonly files?: (invocation: Invocation) => Readonly<Record<string, string>>
}

const model = "claude-sonnet-4-6"

export const dacapo: Peer = {
  name: "dacapo",
  wire: "messages",
  args: ({ prompt, url }) => ["-p", "--model", `anthropic/${model}`, "--base-url", url, prompt],
  variables: ({ home }) => ({ DACAPO_HOME: home, ANTHROPIC_API_KEY: "sk-ant-bench" })
}

/** Their documented options, as of 2026-11; a peer that is not installed is left out. */
export const peers: ReadonlyArray<Peer> = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    wire: "messages",
    args: ({ prompt }) => ["-p", "--model", model, "--allowedTools", "Read", "--", prompt],
    variables: ({ home, url }) => ({
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-ant-bench",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
    })
  },
  {
    name: "codex",
    package: "@openai/codex",
    wire: "responses",
    args: ({ prompt, url }) => [
      "exec",
      "--skip-git-repo-check",
      "--sandbox",
      "danger-full-access",
      "--model",
      "gpt-5.5",
      ...Object.entries({ model_provider: "bench", "model_providers.bench.name": "bench", "model_providers.bench.base_url": `${url}/v1`, "model_providers.bench.env_key": "OPENAI_API_KEY", "model_providers.bench.wire_api": "responses" })
        .flatMap(([key, value]) => ["-c", `${key}=${JSON.stringify(value)}`]),
      prompt
    ],
    variables: ({ home }) => ({ HOME: home, CODEX_HOME: home, OPENAI_API_KEY: "sk-bench" })
  },
  {
    name: "opencode",
    package: "opencode-ai",
    wire: "messages",
    args: ({ prompt }) => ["run", "--model", `anthropic/${model}`, prompt],
    variables: ({ home, url }) => ({
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_STATE_HOME: home,
      ANTHROPIC_API_KEY: "sk-ant-bench",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { anthropic: { options: { baseURL: `${url}/v1` } } }, permission: { read: "allow" } })
    })
  },
  {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    wire: "messages",
    args: ({ prompt }) => ["-p", "--provider", "anthropic", "--model", model, prompt],
    variables: ({ home }) => ({ HOME: home, PI_CODING_AGENT_DIR: home, ANTHROPIC_API_KEY: "sk-ant-bench" }),
    files: ({ url }) => ({ "models.json": JSON.stringify({ providers: { anthropic: { baseUrl: url } } }) })
  }
]
