/** How much could go wrong, with the reasons: a table of signals, of which the gravest decides. */
import { Access } from "../tool/Access.ts"
import { type Analysis, analyse, flatten, type Part } from "../tool/CommandLine.ts"
import * as Defaults from "./ProtectedPaths.ts"
import * as Location from "./Location.ts"

export type Level = "low" | "medium" | "high"

export interface Signal {
  readonly level: Level
  readonly reason: string
  /** What modes look at besides the level. */
  readonly kind: "read" | "edit" | "delete" | "outside" | "network" | "secret" | "command" | "unknown" | "foreign"
}

export interface Risk {
  readonly level: Level
  readonly signals: ReadonlyArray<Signal>
}

/** Where things are, as far as risk depends on it. */
export interface Surroundings {
  readonly roots: ReadonlyArray<string>
  readonly home?: string
  readonly cwd?: string
  /** Hosts that a rule allows. */
  readonly allowedHost?: (url: string) => boolean
  /** Whether the tool does nothing beside what its other accesses say (Tool.quiet). */
  readonly quiet?: boolean
  /** Spares analysing a command twice. */
  readonly analysis?: Analysis
}

const order: ReadonlyArray<Level> = ["low", "medium", "high"]

export const gravest = (levels: ReadonlyArray<Level>): Level =>
  levels.reduce<Level>((a, b) => order.indexOf(b) > order.indexOf(a) ? b : a, "low")

export const assess = (access: Access, surroundings: Surroundings): Risk => {
  const signals = Access.match(access, {
    Read: (access) => [signal("low", "read", `reads ${access.path}`), ...located(access, surroundings, Defaults.reading)],
    Edit: (access) => [
      access.kind === "delete" ? signal("high", "delete", `deletes ${access.path}`) : signal("medium", "edit", `edits ${access.path}`),
      ...located(access, surroundings, Defaults.writing)
    ],
    Command: ({ command, cwd }) =>
      commandSignals(surroundings.analysis ?? analyse(command), { ...surroundings, ...(cwd === undefined ? {} : { cwd }) }),
    Fetch: ({ url }) => [network(url, surroundings)],
    Browse: ({ url }) => [network(url, surroundings)],
    Mcp: ({ server, tool }) => [signal("high", "foreign", `the server ${server} runs ${tool}`)],
    Other: ({ tool }) => [surroundings.quiet === true ? signal("low", "read", `uses ${tool}`) : signal("high", "foreign", `uses ${tool}`)]
  })
  return { level: gravest(signals.map(({ level }) => level)), signals }
}

const signal = (level: Level, kind: Signal["kind"], reason: string): Signal => ({ level, kind, reason })

const network = (url: string, { allowedHost }: Surroundings): Signal =>
  allowedHost?.(url) === true ? signal("medium", "read", `fetches ${url}, an allowed host`) : signal("high", "network", `fetches ${url}`)

const located = (
  { path, resolvedPath = path }: { readonly path: string; readonly resolvedPath?: string },
  surroundings: Surroundings,
  protection: typeof Defaults.reading
): ReadonlyArray<Signal> =>
  [...new Set([path, resolvedPath])].flatMap((path) => placeSignals(resolveIn(surroundings, "", path), path, surroundings, protection))

const placeSignals = (place: string, shown: string, { roots }: Surroundings, protection: typeof Defaults.reading): ReadonlyArray<Signal> => {
  const found = protection(place)
  return [
    ...(Location.isInsideAny(roots, place) ? [] : [signal("high", "outside", `${shown} is outside the folders that are open`)]),
    ...(found === undefined ? [] : [signal("high", "secret", `${shown} is protected: ${found.reason}`)])
  ]
}

const resolveIn = ({ cwd, home = Location.unknownHome, roots }: Surroundings, folder: string, path: string): string =>
  Location.resolve(Location.resolve(cwd ?? roots[0] ?? Location.unknownRoot, Location.expandHome(folder, home)), Location.expandHome(path, home))

const deletes = new Set(["dd", "find", "git", "mkfs", "mv", "rm", "rmdir", "rsync", "shred", "truncate", "unlink", "wipefs"])
const networked = new Set(
  "aria2c curl dig docker ftp gh git glab host kubectl mosh nc ncat netcat nmap nslookup npm npx pip pip3 ping pnpm podman rsync scp sftp socat ssh telnet traceroute wget whois yarn".split(" ")
)

const commandSignals = (analysis: Analysis, surroundings: Surroundings): ReadonlyArray<Signal> => {
  const parts = flatten(analysis.parts)
  const signals = parts.flatMap((part) => partSignals(part, surroundings))
  const unknown = [...analysis.faults, ...parts.flatMap(({ hazards }) => hazards.filter(({ opaque }) => opaque).map(({ why }) => why))]
  return [
    ...(analysis.faults.length === 0 && parts.length > 0 && parts.every(({ readOnly }) => readOnly)
      ? [signal("low", "read", "every part only reads")]
      : [signal("high", "command", "runs a command")]),
    ...unknown.map((why) => signal("high", "unknown", why)),
    ...signals
  ]
}

const partSignals = (part: Part, surroundings: Surroundings): ReadonlyArray<Signal> => [
  ...(part.name !== undefined && !part.readOnly && deletes.has(part.name) ? [signal("high", "delete", `${part.name} may delete`)] : []),
  ...(part.name !== undefined && !part.readOnly && networked.has(part.name) ? [signal("high", "network", `${part.name} may use the network`)] : []),
  ...part.touches.flatMap((touch) =>
    (part.folders ?? []).flatMap((folder) =>
      placeSignals(resolveIn(surroundings, folder, touch.path), touch.path, surroundings, (path) => Defaults.touching(part, touch, path))
    )
  )
]
