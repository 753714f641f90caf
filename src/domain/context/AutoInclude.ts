/**
 * Chooses the files to include automatically: each file gets a score from who touched it and when, what it is and who mentions it,
 * and the most valuable for their tokens are included, within a budget. Pure: the choice is written to the log.
 */
import * as ProtectedPaths from "../approval/ProtectedPaths.ts"
import * as FileRole from "../workspace/FileRole.ts"
import * as GrowingFold from "../message/GrowingFold.ts"
import * as MessageText from "../message/Message.ts"
import type { Content, Message } from "../message/Message.ts"
import type { Session } from "../session/Session.ts"
import * as LastCommand from "../session/LastCommand.ts"
import * as Transcript from "../session/Transcript.ts"
import * as Turns from "./compaction/Turns.ts"

/**
 * A file whose current content the model has not seen. Times in ms since the epoch.
 * - `tokens`: its estimated size. `touchedAt`: when anyone last touched it. `useCount`: how often the session did.
 * - `editedAt`: when someone else changed it. `isFailing`: a recent error names it. `isNamed`: the user's newest message
 *   names it, or a symbol that it defines. `isRelated`: earlier sessions changed it along with a file now in play.
 */
export interface Candidate {
  readonly path: string
  readonly tokens: number
  readonly touchedAt?: number
  readonly useCount: number
  readonly editedAt?: number
  readonly isFailing: boolean
  readonly isNamed: boolean
  readonly isRelated: boolean
}

/** `why` is shown to people and to the model, the weightiest reason first. */
export interface ScoredFile {
  readonly candidate: Candidate
  readonly score: number
  readonly why: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Whether a file may hold settings or secrets, so that the model sees it only on request: protected paths (rules of agents, MCP
 * servers, keys, CI), hidden files and folders, and names that speak of secrets. `path` is relative to the working folder.
 */
export const isPrivate = (path: string, absolute: string): boolean =>
  ProtectedPaths.writeProtection(absolute) !== undefined || /(?:^|\/)\.[^./]/.test(path) ||
  /secret|credential|passw|(?:^|[/._-])tokens?\.\w+$|\.(?:tfvars|tfstate)(?:\.|$)|(?:^|\/)(?:local\.settings|appsettings[^/]*)\.json$/i
    .test(path)

/** The token limit for all included files, and their share of the free usable window. */
export const defaults = { tokens: 50_000, share: 0.25 }

/** Files that score less are not worth their tokens: old files with unrelated changes. */
const minScore = 50

const roles: Readonly<Record<FileRole.FileRole, number>> = { configuration: 30, code: 20, test: 10 }

/** What counts in favour of a file, by weight; only reasons worth showing in `why` have a text. */
const reasons = (
  { editedAt, isFailing, isNamed, path, useCount, isRelated, touchedAt }: Candidate,
  now: number
): ReadonlyArray<readonly [score: number, why: string]> => {
  const ageMs = editedAt === undefined ? Infinity : now - editedAt
  return [
    [touchedAt === undefined ? 0 : Math.max(0, 100 - Math.max(0, now - touchedAt) / hourMs), "recently touched"],
    [Math.min(50, 5 * useCount), `used ${useCount} times`],
    ...FileRole.of(path).map((role) => [roles[role], role] as const),
    ageMs <= minuteMs ? [65, "changed outside this session in the last minute"]
      : [ageMs <= 10 * minuteMs ? 25 : 0, "changed outside this session in the last ten minutes"],
    [isFailing ? 30 : 0, "named in a recent error"],
    [isNamed ? 20 : 0, "named by the user, or defines what the user names"],
    [isRelated ? 10 : 0, "often changed along with the current files"]
  ]
}

/** Reasons that are shown even where others weigh more, because they are news to the model. */
const noteworthy = /error|outside|user|together/

/** The score of a file at the time `now`. */
export const score = (candidate: Candidate, now: number): ScoredFile => {
  const positiveReasons = reasons(candidate, now).filter(([score]) => score > 0)
  const noteworthyReasons = positiveReasons.filter(([, why]) => noteworthy.test(why))
  const why = (noteworthyReasons.length > 0 ? noteworthyReasons : positiveReasons).toSorted((a, b) => b[0] - a[0]).map(([, why]) => why)
  return { candidate, score: Math.round(positiveReasons.reduce((sum, [score]) => sum + score, 0)), why: why.slice(0, 2).join("; ") }
}

/** Greedy by score per token, within `tokens`; ties are broken by path, so that the same input gives the same choice. */
export const choose = (candidates: ReadonlyArray<Candidate>, now: number, tokens: number): ReadonlyArray<ScoredFile> => {
  let availableTokens = tokens
  return candidates
    .map((candidate) => score(candidate, now))
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => scorePerToken(b) - scorePerToken(a) || (a.candidate.path < b.candidate.path ? -1 : 1))
    .filter(({ candidate }) => {
      if (candidate.tokens > availableTokens) return false
      availableTokens -= candidate.tokens
      return true
    })
}

const scorePerToken = ({ candidate, score }: ScoredFile): number => score / Math.max(1, candidate.tokens)

/**
 * Tokens that may still be included when a request weighs `tokens`, `included` of which are files included earlier. All
 * included files share one allowance, so that they never fill the window over time.
 */
export const availableTokens = (
  { included, maxTokens = defaults.tokens, tokens, usable }: {
    readonly usable: number
    readonly tokens: number
    readonly included: number
    readonly maxTokens?: number
  }
): number => Math.max(0, Math.min(maxTokens, Math.floor(defaults.share * Math.max(0, usable - (tokens - included)))) - included)

// Files that belong together, judging by which ones earlier sessions in a folder touched together.

/** The number of sessions that must have touched both files. */
const minSessions = 3

/** Files that earlier sessions (each a list of paths) often touched together with one of the current files. */
export const relatedPaths = (pastSessions: ReadonlyArray<ReadonlySet<string>>, activePaths: ReadonlySet<string>): ReadonlySet<string> => {
  const pairs = new Map<string, Map<string, number>>()
  for (const session of pastSessions) {
    for (const activePath of session) {
      if (!activePaths.has(activePath)) continue
      const companions = pairs.get(activePath) ?? new Map<string, number>()
      for (const path of session) if (path !== activePath) companions.set(path, (companions.get(path) ?? 0) + 1)
      pairs.set(activePath, companions)
    }
  }
  return new Set(
    [...pairs.values()].flatMap((companions) => [...companions].flatMap(([path, count]) => count >= minSessions ? [path] : []))
  )
}

// Which files a conversation shows and mentions: those in view, those that errors name, those that the user asks about.

/** Parts of the message that ends the next request, so far. */
const nextMessage = ({ calls, pendingContent }: Pick<Session, "calls" | "pendingContent">): Message =>
  Transcript.userMessage(calls, pendingContent, [], undefined)

/** Files with content in view: they are not shown again while they stay the same. */
export const visiblePaths = (session: Session): ReadonlySet<string> => withPaths(visibleIn(session.messages), nextMessage(session))

const withPaths = (paths: Set<string>, { content }: Message): Set<string> => {
  for (const part of content) {
    if (part._tag !== "Text" && part._tag !== "ToolResult") continue
    for (const { content, path } of part.touched ?? []) if (content !== undefined) paths.add(path)
  }
  return paths
}

const visibleIn = GrowingFold.make<Message, Set<string>>({ empty: () => new Set(), add: withPaths, fork: (paths) => new Set(paths) })

/** Parts with automatically included files that are still shown. */
export const included = (messages: ReadonlyArray<Message>): ReadonlyArray<Content> =>
  messages.flatMap(({ content, role }) =>
    role === "user" ? content.filter((part) => part._tag === "Text" && part.origin === "included") : []
  )

/** Errors of the last turns and of the last check: texts that may name files. */
export const errors = (session: Session): string => {
  const messages = [...session.messages, nextMessage(session)]
  const failedResults: Array<string> = []
  for (const { result } of Turns.resolvedCalls(messages, Turns.recent(messages, Turns.recentTurns), messages.length)) {
    if (result.isError) failedResults.push(MessageText.text(result.content))
  }
  const problems = LastCommand.problemsText(session.terminal)
  return [...failedResults, ...(problems === undefined ? [] : [problems])].join("\n")
}

/** The user's newest message. */
export const latestUserText = ({ messages, pendingContent }: Session): string => {
  const userText = (content: ReadonlyArray<Content>): string => MessageText.text(content.filter(Turns.isUserContent))
  const pendingText = userText(pendingContent)
  return pendingText !== "" ? pendingText
    : userText(messages.findLast(({ content, role }) => role === "user" && userText(content) !== "")?.content ?? [])
}

/** Whether a text names a file: by any path to it, or by its base name followed by a line number. */
export const names = (text: string, path: string): boolean => {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && isPathEnd(text, at + path.length)) return true
  }
  const name = path.slice(path.lastIndexOf("/") + 1)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && /^[:(]\d/.test(text.slice(at + name.length, at + name.length + 2))) return true
  }
  return false
}

/** `a.ts` is not `a.tsx`, but may end a sentence. */
const isPathEnd = (text: string, at: number): boolean => !/^(?:[\w/-]|\.\w)/.test(text.slice(at, at + 2))

/** Symbols that a text names: whatever is written like code, in order, each once. */
export const symbols = (text: string): ReadonlyArray<string> => {
  const candidates = [...text.slice(0, 20_000).matchAll(/(`?)([A-Za-z_$][\w$]{2,})(`|\()?/g)].flatMap(([, open, name = "", close]) =>
    (open === "`" && close === "`") || close === "(" || /[a-z\d][A-Z]|[A-Za-z]_[A-Za-z]|^[A-Z][a-z]+[A-Z]/.test(name) ? [name] : []
  )
  return [...new Set(candidates)].slice(0, 50)
}

const definition =
  /\b(?:function\*?|class|interface|type|enum|namespace|const|let|var|def|fn|func|struct|trait|impl|mod|module|object|record|protocol|extension)\s+(?:\([^)\n]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)/g

/** Names that a piece of code seems to define: a hint for the score, not an index. */
export const defines = (text: string): ReadonlySet<string> => new Set([...text.matchAll(definition)].map(([, name = ""]) => name))
