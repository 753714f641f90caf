/** Every place that listens for connections, and what proves to it who asks. A new one needs a proof, and the test that asks it without. */
import { expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const root = new URL("../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")

const listens = /\bcreateServer\b|\bcreateSecureServer\b|\.listen\((?!\))|\bServer\(\s*\)\.listen|NodeHttpServer\.(?:make|layer)|NodeSocketServer|--remote-debugging-port|createSocket\(/

const listeners: Readonly<Record<string, { readonly proof: string; readonly test: string; readonly asks: string }>> = {
  "src/cli/serve/ServeControl.ts": { proof: "a token of this run", test: "test/cli/Serve.slow.test.ts", asks: "expect(await status({})).toBe(401)" },
  "src/layers/browser/GuardProxy.ts": { proof: "a password of this run", test: "test/layers/browser/GuardProxy.test.ts", asks: "407" },
  "src/layers/cluster/RunnerSockets.ts": {
    proof: "none: the transport of Effect's cluster has none, so a private network has to keep others away",
    test: "docs/cluster.md",
    asks: "whoever can connect to a runner's port can run its"
  },
  "src/layers/mcp/oauth/BrowserLogin.ts": { proof: "the state of the login", test: "test/cli/McpRemote.slow.test.ts", asks: "searchParams.delete(\"state\")" },
  "src/layers/mcp/server/ServeMcp.ts": { proof: "a token of this run, or a folder that this user alone may enter", test: "test/cli/McpServe.slow.test.ts", asks: "[\"nothing\", 401, session]" },
  "src/layers/testing/servers/Server.ts": { proof: "none: it gives tests what their own script says", test: "test/listeners.test.ts", asks: "none" }
}

it("every place that listens demands a proof, and a test asks it without", () => {
  const found = globSync("src/**/*.{ts,tsx}", { cwd: root.pathname }).filter((path) => listens.test(read(path).replace(/^\s*(?:\/\/|\/?\*).*$/gm, ""))).sort()
  expect(found).toEqual(Object.keys(listeners).sort())
  for (const { asks, test } of Object.values(listeners)) expect(read(test)).toContain(asks)
})
