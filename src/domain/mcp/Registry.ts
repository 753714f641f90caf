/**
 * The MCP registry's answer to a search: the servers, and how each is added here. Format: the registry's OpenAPI
 * (`GET /v0/servers?search=…`, https://registry.modelcontextprotocol.io/docs). Entries come from anyone: they are data, shown and
 * never run.
 */
import { optional } from "../Optional.ts"
import * as Reader from "../provider/Reader.ts"

/**
 * - `name`: reverse domain and name (`io.github.owner/server`). `isDeprecated`: its owner advises against it.
 * - `add`: the command that adds it; undefined if it can't be written safely, or the registry names no way that dacapo supports.
 * - `variables`: environment variables and headers that it needs. `repository`: where its source is.
 */
export interface RegistryServer {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly isDeprecated: boolean
  readonly variables: ReadonlyArray<string>
  readonly add?: string
  readonly repository?: string
}

const variable = Reader.record({ name: Reader.text, isRequired: Reader.flag })

const server = Reader.record({
  name: Reader.text,
  description: Reader.text,
  version: Reader.text,
  status: Reader.text,
  repository: Reader.record({ url: Reader.text }),
  packages: Reader.list(Reader.record({
    registryType: Reader.text,
    identifier: Reader.text,
    version: Reader.text,
    transport: Reader.record({ type: Reader.text }),
    environmentVariables: Reader.list(variable)
  })),
  remotes: Reader.list(Reader.record({ type: Reader.text, url: Reader.text, headers: Reader.list(variable) }))
})
type Entry = Reader.Value<typeof server>

const official = "io.modelcontextprotocol.registry/official"

/** Items hold the server beside what the registry knows of it. */
const item = Reader.record({ server, _meta: Reader.fields })
const answer = Reader.record({ servers: Reader.list(item) })

/** What may stand in a command without quotes; nothing else is offered for copying. */
const safeArgument = /^[A-Za-z0-9@][\w@./:+=%~-]*$/
/** Long texts are cut: an entry is one screen line or two. */
const maxText = 300

/** The servers of an answer, only the latest version of each; undefined if it is no such answer. */
export const servers = (json: unknown): ReadonlyArray<RegistryServer> | undefined =>
  answer(json)?.servers?.flatMap(({ _meta, server }) => {
    const meta = Reader.record({ status: Reader.text, isLatest: Reader.json })(_meta?.[official])
    if (server?.name === undefined || meta?.isLatest === false || meta?.status === "deleted") return []
    const { description = "", name, repository, version = "" } = server
    const way = wayToAdd(server)
    return [{
      name,
      description: description.slice(0, maxText),
      version,
      isDeprecated: (meta?.status ?? server.status) === "deprecated",
      variables: way?.variables ?? [],
      ...optional({ add: way?.add, repository: repository?.url?.slice(0, maxText) })
    }]
  })

/** The programs that run packages of a registry. */
const runners: Readonly<Record<string, (identifier: string, version: string) => ReadonlyArray<string>>> = {
  npm: (identifier, version) => ["npx", "-y", version === "" ? identifier : `${identifier}@${version}`],
  pypi: (identifier, version) => ["uvx", version === "" ? identifier : `${identifier}@${version}`],
  oci: (identifier) => ["docker", "run", "-i", "--rm", identifier]
}

interface Way {
  readonly add: string
  readonly variables: ReadonlyArray<string>
}

/** A remote server needs nothing installed; otherwise the first package that a known program runs over stdio. */
const wayToAdd = ({ name = "", packages = [], remotes = [] }: NonNullable<Entry>): Way | undefined => {
  const shortName = name.slice(name.lastIndexOf("/") + 1).replace(/[^A-Za-z0-9_-]/g, "-").replace(/^-+/, "").slice(0, 40)
  const needed = (all: ReadonlyArray<{ readonly name?: string; readonly isRequired?: true }> = []) =>
    all.flatMap(({ isRequired, name }) => isRequired === true && name !== undefined && /^[\w-]{1,100}$/.test(name) ? [name] : [])
  const remote = remotes.find(({ type, url = "" }) =>
    (type === "streamable-http" || type === "sse") && safeArgument.test(url) && /^https:/.test(url)
  )
  const choices: ReadonlyArray<readonly [ReadonlyArray<string>, Way["variables"]]> = [
    ...packages.flatMap(({ environmentVariables, identifier = "", registryType = "", transport, version = "" }) =>
      Object.hasOwn(runners, registryType) && (transport?.type ?? "stdio") === "stdio" &&
        safeArgument.test(identifier) && safeArgument.test(`${identifier}@${version}`)
        ? [[["--", ...runners[registryType]!(identifier, version)], needed(environmentVariables)] as const]
        : []
    ),
    ...(remote === undefined ? []
      : [[[remote.url!, ...(remote.type === "sse" ? ["--transport", "sse"] : [])], needed(remote.headers)] as const])
  ]
  const [chosen] = choices
  return chosen === undefined || shortName === "" ? undefined
    : { add: `dacapo mcp add ${shortName} ${chosen[0].join(" ")}`, variables: chosen[1] }
}
