/** The risk of a tool call, with its reasons: a table of signals, of which the highest level counts. */
import { Access } from "../tool/Access.ts"
import { type Analysis, analyse, flatten, isReadOnly, type SimpleCommand, type Touch, type Word } from "../tool/CommandLine.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import * as DevPrograms from "./DevPrograms.ts"
import type { Leads } from "../workspace/Lookup.ts"
import * as PathSpec from "./PathSpec.ts"
import * as Places from "./Places.ts"
import * as SideEffects from "./SideEffects.ts"

export type Level = "low" | "medium" | "high"

export interface Signal {
  readonly level: Level
  readonly reason: string
  /** Permission modes take it into account besides the level. */
  readonly kind:
    | "read"
    | "edit"
    | "delete"
    | "outside"
    | "network"
    | "repository"
    | "secret"
    | "command"
    | "unknown"
    | "unusual"
    | "foreign"
}

/** The first signal says what the access itself does; the others say why it is risky. */
export interface Risk {
  readonly level: Level
  readonly signals: ReadonlyArray<Signal>
}

/** What the risk of a call depends on besides the call. */
export interface RiskContext {
  readonly roots: ReadonlyArray<string>
  readonly home?: string
  readonly cwd?: string
  /** Hosts that a rule allows. */
  readonly isAllowedHost?: (url: string) => boolean
  /** Whether the tool does nothing beyond its other accesses (Tool.quiet). */
  readonly isQuiet?: boolean
  /** The command's analysis, where it is at hand. */
  readonly analysis?: Analysis
  /** A sandbox keeps a command from writing elsewhere. */
  readonly isConfined?: boolean
}

const order: ReadonlyArray<Level> = ["low", "medium", "high"]

export const highestLevel = (levels: ReadonlyArray<Level>): Level =>
  levels.reduce<Level>((a, b) => order.indexOf(b) > order.indexOf(a) ? b : a, "low")

export const assess = (access: Access, riskContext: RiskContext): Risk => {
  const signals = Access.match(access, {
    Read: (access) => [signal("low", "read", `reads ${access.path}`), ...pathSignals(access, riskContext, ProtectedPaths.readProtection)],
    Edit: (access) => [
      access.kind === "delete" ? signal("high", "delete", `deletes ${access.path}`) : signal("medium", "edit", `edits ${access.path}`),
      ...pathSignals(access, riskContext, ProtectedPaths.writeProtection)
    ],
    Command: ({ changes = [], command, confined = false, cwd, input, leads, local = [], unclear }) => [
      ...(input === undefined ? [] : [signal("high", "unknown", "what is typed there decides what it does")]),
      ...commandSignals(
        riskContext.analysis ?? analyse(command),
        { ...riskContext, isConfined: confined },
        pathContextOf(riskContext, cwd, leads)
      ),
      ...local.map((name) => signal("high", "command", `${name} is a program that the workspace provides or chooses`)),
      ...changes.map((path) => signal("high", "secret", `it would change ${path}, which is protected`)),
      ...(unclear === undefined ? [] : [signal("high", "unknown", unclear)])
    ],
    Fetch: ({ url }) => [network(url, riskContext)],
    Browse: ({ url }) => [network(url, riskContext)],
    Mcp: ({ server, tool }) => [signal("high", "foreign", `${tool} runs on the MCP server ${server}`)],
    Other: ({ tool }) => [riskContext.isQuiet === true ? signal("low", "read", `uses ${tool}`) : signal("high", "foreign", `uses ${tool}`)]
  })
  return { level: highestLevel(signals.map(({ level }) => level)), signals }
}

const signal = (level: Level, kind: Signal["kind"], reason: string): Signal => ({ level, kind, reason })

const network = (url: string, { isAllowedHost }: RiskContext): Signal =>
  isAllowedHost?.(url) === true ? signal("medium", "read", `fetches ${url}, an allowed host`) : signal("high", "network", `fetches ${url}`)

const pathSignals = (
  { path, resolvedPath = path }: { readonly path: string; readonly resolvedPath?: string },
  riskContext: RiskContext,
  protection: typeof ProtectedPaths.readProtection
): ReadonlyArray<Signal> =>
  [...new Set([path, resolvedPath])].flatMap((path) =>
    placeSignals(PathSpec.resolve(pathContextOf(riskContext).cwd, path), path, riskContext, protection)
  )

const placeSignals = (
  path: string,
  label: string,
  { roots }: RiskContext,
  protection: typeof ProtectedPaths.readProtection
): ReadonlyArray<Signal> => {
  const match = protection(path)
  return [
    ...(PathSpec.isInsideAny(roots, path) ? [] : [signal("high", "outside", `${label} is outside the workspace`)]),
    ...(match === undefined ? [] : [signal("high", "secret", `${label} is protected: ${match.reason}`)])
  ]
}

const pathContextOf = ({ cwd, home = PathSpec.unknownHome, roots }: RiskContext, folder?: string, leads?: Leads): Places.PathContext => ({
  cwd: PathSpec.resolve(cwd ?? roots[0] ?? PathSpec.unknownRoot, folder ?? ""),
  home,
  ...(leads === undefined ? {} : { leads })
})

const commandSignals = (analysis: Analysis, riskContext: RiskContext, pathContext: Places.PathContext): ReadonlyArray<Signal> => {
  const parts = flatten(analysis.parts)
  const signals = parts.flatMap((part) => partSignals(part, riskContext, pathContext))
  const unknown = [
    ...analysis.faults,
    ...parts.flatMap((part) => part.hazards.filter(({ opaque, word }) => opaque && !isNamedProgram(part, word)).map(({ reason }) => reason))
  ]
  const objections = parts.flatMap((part) => DevPrograms.objection(part, pathContext, riskContext.roots) ?? [])
  return [
    isReadOnly(analysis)
      ? signal("low", "read", "every part is read-only")
      : analysis.faults.length === 0 && parts.every(isTame)
      ? signal("medium", "edit", "changes files")
      : objections.length === 0
      ? signal("medium", "command", "runs a development tool")
      : signal("high", "command", "runs a command"),
    ...objections.map((why) => signal("high", "unusual", why)),
    ...unknown.map((why) => signal("high", "unknown", why)),
    ...Places.startingFolder(pathContext).flatMap((folder) => placeSignals(folder, folder, riskContext, () => undefined)),
    ...signals
  ]
}

/** A module or script that is judged as a program of its own. */
const isNamedProgram = (part: SimpleCommand, word: Word | undefined): boolean =>
  word !== undefined && (DevPrograms.moduleOf(part) === word || Places.scriptOf(part) === word)

const isTame = ({ editsFiles, readOnly }: SimpleCommand): boolean => readOnly || editsFiles

const partSignals = (part: SimpleCommand, riskContext: RiskContext, pathContext: Places.PathContext): ReadonlyArray<Signal> => [
  ...(isTame(part) ? [] : SideEffects.of(part)),
  ...(part.folders === undefined && part.touches.length > 0
    ? [signal("high", "outside", `the working directory of ${part.source} is known only at run time`)] : []),
  ...part.touches.flatMap((touch) => Places.of(part, touch, pathContext).flatMap((place) => touchSignals(place, part, touch, riskContext)))
]

/** Folders of programs and their settings, and of temporary files, which a sandbox has of its own. */
const systemFolders: ReadonlyArray<string> = ["/bin", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/tmp", "/usr"]

/** Anything that is not certainly one place inside the roots counts as outside. */
const touchSignals = (place: Places.Place, part: SimpleCommand, touch: Touch, outerContext: RiskContext): ReadonlyArray<Signal> => {
  const isWrite = touch.access === "write"
  const { isConfined = false, roots } = outerContext
  const riskContext = isConfined ? { ...outerContext, roots: [...roots, ...isWrite ? ["/"] : systemFolders] } : outerContext
  const protection = (path: string) => ProtectedPaths.touchProtection(part, touch, path)
  switch (place._tag) {
    case "Named":
      return place.paths.filter((path) => !Places.isSink(path) && !Places.isPublic(touch, path)).flatMap((path) => [
        ...placeSignals(path, pathLabel(touch, path), riskContext, protection),
        ...(isWrite && !part.editsFiles && roots.some((root) => PathSpec.isInside(path, root))
          ? [signal("high", "outside", `${touch.path} is an entire workspace folder`)] : [])
      ])
    case "Within":
      return [
        ...placeSignals(place.folder, touch.path, riskContext, protection),
        ...(!place.isSeen && Places.canReachHidden(touch)
          ? [signal("high", "outside", `${touch.word.source} may reach other folders or hidden files`)] : [])
      ]
    case "Below":
      return []
    case "Unknown":
      return [signal("high", "unknown", place.why)]
  }
}

/** The path as written, with its target where that has another name. */
const pathLabel = ({ path }: Touch, target: string): string => target.endsWith(path) ? path : `${path} links to ${target}, which`
