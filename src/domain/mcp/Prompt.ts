/** A prompt that a server offers: the user calls it as a slash command. */

/** `name` is the slash command's: `mcp__server__prompt`. */
export interface Prompt {
  readonly name: string
  readonly server: string
  readonly prompt: string
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly required: boolean }>
}

/** Words in the order of the prompt's arguments; the last one takes what is left. */
export const given = (prompt: Prompt, words: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(prompt.arguments.flatMap(({ name }, i) => {
    const value = i === prompt.arguments.length - 1 ? words.slice(i).join(" ") : words[i] ?? ""
    return value === "" ? [] : [[name, value]]
  }))
