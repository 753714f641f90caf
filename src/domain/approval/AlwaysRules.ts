/** The rules that "always" offers for a call: never broader than the command up to its subcommand, one file, one host. */
import * as Result from "effect/Result"
import { analyse, flatten, type SimpleCommand, type Word } from "../tool/CommandLine.ts"
import { toolOf } from "../tool/shell/Tools.ts"
import { isInterpreter, isShell } from "../tool/shell/Wrappers.ts"
import * as WebUrl from "../network/WebUrl.ts"
import * as Access from "../tool/Access.ts"
import type { Call, CommandCall } from "./Call.ts"
import * as Risk from "./Risk.ts"
import * as PathSpec from "./PathSpec.ts"
import type { Options } from "./RuleParser.ts"
import * as Rule from "./Rule.ts"
import * as Quote from "../tool/shell/Quote.ts"

/** Nothing is offered when no rule of this kind would allow the call; `toolRule` is a rule that takes precedence over ours if it would. */
export const alwaysRules = (call: Call, options: Options = {}, toolRule?: string): ReadonlyArray<string> => {
  const sets = [...toolRule === undefined ? [] : [[toolRule]], ...candidates(call).map((rules) => [...new Set(rules)])]
  return sets.find((rules) => allows(rules, call, options)) ?? []
}

/**
 * The rule for everything in the folder of edited files: the folder that all of them share, below the root. Undefined for files next to
 * the root's own, outside of it, or where a rule for the folder would not allow the call, as for protected files.
 */
export const folderRule = (calls: ReadonlyArray<Call>, options: Options & { readonly root: string }): string | undefined => {
  const folders = calls.map((call) =>
    "path" in call && call.tool === "Edit" ? PathSpec.resolve(options.root, call.path).split("/").slice(0, -1) : []
  )
  const [first = []] = folders
  const length = folders.reduce((shared, folder) => {
    const end = first.findIndex((segment, i) => i >= shared || segment !== folder[i])
    return end === -1 ? Math.min(shared, first.length) : end
  }, first.length)
  const folder = first.slice(0, length).join("/")
  if (folder === options.root || !PathSpec.isInside(options.root, folder) || isPattern(folder)) return undefined
  const rule = `Edit(./${folder.slice(options.root === "/" ? 1 : options.root.length + 1)}/**)`
  return calls.every((call) => allows([rule], call, options)) ? rule : undefined
}

/** Whether a path holds characters that a rule reads as a pattern. */
const isPattern = (path: string): boolean => /[*?[\]\\!]/.test(path)

/** Whether the call runs under these rules; what only reads in the workspace needs none. */
const allows = (rules: ReadonlyArray<string>, call: Call, options: Options): boolean => {
  const compiled = Rule.compile({ allow: rules }, options)
  if (rules.length === 0 || Result.isFailure(compiled)) return false
  const { decision, undecided } = Rule.evaluate(compiled.success, call)
  return decision === "allow" || "command" in call && undecided !== undefined && isHarmless(call, undecided, compiled.success)
}

const isHarmless = (call: CommandCall, parts: ReadonlyArray<SimpleCommand>, { home, root }: Rule.Compiled): boolean => {
  const { command, cwd, leads, roots = [root] } = call
  const access = { ...Access.command(command, cwd), ...(leads === undefined ? {} : { leads }) }
  return Risk.assess(access, { roots, home, cwd: root, analysis: { ...analyse(command), parts } }).level === "low"
}

/** Sets of rules, of which the first that allows the call is offered. */
const candidates = (call: Call): ReadonlyArray<ReadonlyArray<string>> => {
  if ("command" in call) return commandRules(call.command)
  if ("path" in call) return isPattern(call.path) ? [] : [[`${call.tool}(${rulePath(call.path)})`]]
  if ("url" in call) {
    const target = WebUrl.read(call.url)
    return target._tag === "Refused" ? [] : [[`${call.tool}(domain:${target.host}${target.url.port === "" ? "" : `:${target.port}`})`]]
  }
  return [[call.tool]]
}

/** A path as written in a rule: absolute ones with two slashes, relative ones from the root. */
const rulePath = (path: string): string =>
  path.startsWith("/") ? `/${path}` : path.startsWith("~/") ? path : `./${path.replace(/^\.\//, "")}`

const commandRules = (command: string): ReadonlyArray<ReadonlyArray<string>> => {
  const { faults, parts } = analyse(command)
  const commands = flatten(parts).filter(({ inner, transparent, words }) => words.length > 0 && !(transparent && inner.length > 0))
  return faults.length > 0 || commands.some(isOpenEnded) ? []
    : [commands.filter(({ readOnly }) => !readOnly).map(ruleOf), commands.map(ruleOf)]
}

/** Programs that take commands from their input, besides shells and interpreters of programming languages. */
const consoles = new Set(
  ("at batch bc crontab csh dc ed ex ftp gdb isql lldb m4 mariadb mongo mongosh mosh mysql nc ncat netcat osqueryi parallel patch psql redis-cli "
    + "sftp socat sqlcmd sqlite3 sqlplus ssh telnet tmux screen script xargs").split(" ")
)

/**
 * Whether the words of a command leave open what it does: because its input says it. The same words with another input would be
 * covered by a rule for them. What a table describes up to its subcommand, or only reads or edits files, takes no commands from there.
 */
export const isOpenEnded = (part: SimpleCommand): boolean => {
  const { editsFiles, name, readOnly, readsInput, words } = part
  if (name === undefined || readOnly) return false
  if (consoles.has(name)) return true
  const operands = words.slice(1).filter(({ text }) => !/^-./.test(text))
  if ((isShell(name) || isInterpreter(name)) && operands.length === 0) return true
  if (words.slice(1).some(({ text }) => /^-$|^\/dev\/(?:stdin|fd\/)|^\/proc\/self\/fd\//.test(text)) && prefixOf(part) === undefined)
    return true
  if (isShell(name) && words.slice(1).some(({ text }) => /^-[a-z]*s|^--?(?:stdin)$/.test(text))) return true
  return readsInput && !editsFiles && prefixOf(part) === undefined
}

const ruleOf = (part: SimpleCommand): string => {
  const prefix = prefixOf(part)
  return prefix === undefined ? `Bash(${part.words.map(quote).join(" ")})` : `Bash(${prefix.map(quote).join(" ")}:*)`
}

/** The program and its subcommand; undefined if only the complete command is narrow enough. */
const prefixOf = ({ core, inner, name, readOnly }: SimpleCommand): ReadonlyArray<Word> | undefined => {
  if (name === undefined || inner.length > 0 || isShell(name) || isInterpreter(name)) return undefined
  const tool = toolOf(name)
  const [program, sub] = core
  if (tool?.subs === undefined) return readOnly && tool?.readOnly === true ? [program!] : undefined
  const subcommand = sub === undefined ? undefined : tool.subs.get(sub.text)
  if (subcommand === undefined) return undefined
  return subcommand.operands === "name" ? core[2] === undefined ? undefined : core.slice(0, 3) : core.slice(0, 2)
}

const quote = ({ kind, text }: Word): string => kind === "tilde" ? text : Quote.ifNeeded(text)
