/**
 * Which files go along by themselves: each has a score from who touched it when, what it is and who speaks of it, and those
 * that are worth most for their tokens go first, within a budget. Pure: what is chosen is written into the log.
 */
import * as FileRole from "../workspace/FileRole.ts"

/**
 * A file that the model does not see as it is now. Times in ms since the epoch.
 * - `tokens`: about how many it would take. `touched`: when anyone last touched it. `times`: how often the session did.
 * - `edited`: when someone else changed it. `failing`: a recent error names it. `named`: the newest message of the user
 *   names it, or a symbol that it defines. `together`: earlier sessions touched it with a file that is in play.
 */
export interface Candidate {
  readonly path: string
  readonly tokens: number
  readonly touched?: number
  readonly times: number
  readonly edited?: number
  readonly failing: boolean
  readonly named: boolean
  readonly together: boolean
}

/** `why` is for people and the model, the weightiest reason first. */
export interface Scored {
  readonly candidate: Candidate
  readonly score: number
  readonly why: string
}

const minute = 60_000
const hour = 60 * minute

/** Tokens that all included files may take, and the share of the free usable window. */
export const usual = { tokens: 50_000, share: 0.25 }

/** Files that score less are not worth anyone's tokens: old files that lie about changed. */
const least = 50

const roles: Readonly<Record<FileRole.FileRole, number>> = { configuration: 30, code: 20, test: 10 }

/** What speaks for a file, by weight; only what `why` is worth saying has words. */
const reasons = ({ edited, failing, named, path, times, together, touched }: Candidate, now: number): ReadonlyArray<readonly [score: number, why: string]> => {
  const since = edited === undefined ? Infinity : now - edited
  return [
    [touched === undefined ? 0 : Math.max(0, 100 - Math.max(0, now - touched) / hour), "touched lately"],
    [Math.min(50, 5 * times), `used ${times} times`],
    ...FileRole.of(path).map((role) => [roles[role], role] as const),
    [since <= minute ? 40 : 0, "being edited by someone else"],
    [since <= 10 * minute ? 25 : 0, "changed by someone else in the last ten minutes"],
    [failing ? 30 : 0, "named in a recent error"],
    [named ? 20 : 0, "named by the user, or defines what the user names"],
    [together ? 10 : 0, "often changed together with what is in play"]
  ]
}

/** Reasons that are said even where others weigh more: they tell what is new. */
const telling = /error|someone|user|together/

/** The score of a file at the time `now`. */
export const score = (candidate: Candidate, now: number): Scored => {
  const counted = reasons(candidate, now).filter(([score]) => score > 0)
  const told = counted.filter(([, why]) => telling.test(why))
  const why = (told.length > 0 ? told : counted).toSorted((a, b) => b[0] - a[0]).map(([, why]) => why)
  return { candidate, score: Math.round(counted.reduce((sum, [score]) => sum + score, 0)), why: why.slice(0, 2).join("; ") }
}

/** Greedy by score for tokens, within `tokens`; ties by path, so that the same input gives the same choice. */
export const choose = (candidates: ReadonlyArray<Candidate>, now: number, tokens: number): ReadonlyArray<Scored> => {
  let room = tokens
  return candidates
    .map((candidate) => score(candidate, now))
    .filter(({ score }) => score >= least)
    .sort((a, b) => worth(b) - worth(a) || (a.candidate.path < b.candidate.path ? -1 : 1))
    .filter(({ candidate }) => {
      if (candidate.tokens > room) return false
      room -= candidate.tokens
      return true
    })
}

const worth = ({ candidate, score }: Scored): number => score / Math.max(1, candidate.tokens)

/**
 * Tokens that may still be included where a request weighs `tokens`, of which `included` are files that went along before:
 * all of them together take no more than their share, so that they never fill the window by and by.
 */
export const room = ({ included, most = usual.tokens, tokens, usable }: { readonly usable: number; readonly tokens: number; readonly included: number; readonly most?: number }): number =>
  Math.max(0, Math.min(most, Math.floor(usual.share * Math.max(0, usable - (tokens - included)))) - included)
