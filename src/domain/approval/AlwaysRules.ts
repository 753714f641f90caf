/** The rules that "always" offers for a call: never broader than the command up to its subcommand, one file, one host. */
import * as Result from "effect/Result"
import { analyse, flatten, type SimpleCommand, type Word } from "../tool/CommandLine.ts"
import { toolOf } from "../tool/shell/Tools.ts"
import { isInterpreter, isShell } from "../tool/shell/Wrappers.ts"
import * as WebUrl from "../network/WebUrl.ts"
import type { Call } from "./Call.ts"
import type { Options } from "./RuleParser.ts"
import * as Rule from "./Rule.ts"

/** Nothing is offered when no rule of this kind would allow the call; `toolRule` is a rule that takes precedence over ours if it would. */
export const alwaysRules = (call: Call, options: Options = {}, toolRule?: string): ReadonlyArray<string> =>
  [...toolRule === undefined ? [] : [[toolRule]], [...new Set(candidates(call))]].find((rules) => allows(rules, call, options)) ?? []

const allows = (rules: ReadonlyArray<string>, call: Call, options: Options): boolean => {
  const compiled = Rule.compile({ allow: rules }, options)
  return rules.length > 0 && Result.isSuccess(compiled) && Rule.evaluate(compiled.success, call).decision === "allow"
}

const candidates = (call: Call): ReadonlyArray<string> => {
  if ("command" in call) return commandRules(call.command)
  if ("path" in call) return /[*?[\]\\!]/.test(call.path) ? [] : [`${call.tool}(${rulePath(call.path)})`]
  if ("url" in call) {
    const target = WebUrl.read(call.url)
    return target._tag === "Refused" ? [] : [`${call.tool}(domain:${target.host}${target.url.port === "" ? "" : `:${target.port}`})`]
  }
  return [call.tool]
}

/** A path as written in a rule: absolute ones with two slashes, relative ones from the root. */
const rulePath = (path: string): string =>
  path.startsWith("/") ? `/${path}` : path.startsWith("~/") ? path : `./${path.replace(/^\.\//, "")}`

const commandRules = (command: string): ReadonlyArray<string> => {
  const { faults, parts } = analyse(command)
  const commands = flatten(parts).filter(({ inner, transparent, words }) => words.length > 0 && !(transparent && inner.length > 0))
  return faults.length > 0 ? [] : commands.map(ruleOf)
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
  if (tool?.subs === undefined) return readOnly ? [program!] : undefined
  const subcommand = sub === undefined ? undefined : tool.subs.get(sub.text)
  if (subcommand === undefined) return undefined
  return subcommand.operands === "name" ? core[2] === undefined ? undefined : core.slice(0, 3) : core.slice(0, 2)
}

const quote = ({ kind, text }: Word): string =>
  kind === "tilde" || /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
