/** A prompt that a server offers: the user runs it as a slash command. */

/** `name` is the slash command's: `mcp__server__prompt`. */
export interface Prompt {
  readonly name: string
  readonly server: string
  readonly prompt: string
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly required: boolean }>
}

/** Words in the order of the prompt's arguments; the last argument takes the rest. */
export const promptArguments = (prompt: Prompt, args: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(prompt.arguments.flatMap(({ name }, i) => {
    const value = i === prompt.arguments.length - 1 ? args.slice(i).join(" ") : args[i] ?? ""
    return value === "" ? [] : [[name, value]]
  }))
