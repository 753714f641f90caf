/** Git output for a mention: a commit, or the changes of the working tree, without the files that are closed to the session. */
import * as Effect from "effect/Effect"
import type { Content } from "../../domain/message/Message.ts"
import type * as Mention from "../../domain/message/Mention.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { Shell } from "../../services/Shell.ts"
import { maxCharacters, notice, mentionText } from "./MentionPart.ts"
import * as Quote from "../../domain/tool/shell/Quote.ts"

/** Limits: how long git may take, how much of its output is used, and how many files can be listed. */
const limits = { timeoutMs: 10_000, names: 1_000_000, files: 500 }

/** The same files in the same order, as names and as a patch. The commands are ours, and change nothing. */
const plain = "--no-color --no-ext-diff --no-renames"
const gitCommands = {
  commit: (hash: string) => ({
    names: `git --no-pager show ${plain} --format= --name-only ${hash} --`,
    patch: `git --no-pager show ${plain} --stat --patch ${hash} --`,
    before: ""
  }),
  changes: {
    names: `git --no-pager diff ${plain} --name-only HEAD --`,
    patch: `git --no-pager diff ${plain} HEAD --`,
    before: "git --no-pager status --short && "
  }
}

export const read = Effect.fnUntraced(function*(mention: Extract<Mention.Mention, { readonly _tag: "commit" | "changes" }>, cwd: string) {
  const { before: prefix, names, patch } = mention._tag === "commit" ? gitCommands.commit(mention.hash) : gitCommands.changes
  const { run } = yield* Shell
  const { refusal } = yield* ReadPolicy
  const git = (command: string, maxCharacters: number) =>
    run({ command, cwd, timeoutMs: limits.timeoutMs, maxOutputCharacters: maxCharacters, onOutput: () => {} })
  return yield* Effect.gen(function*() {
    const nameOutput = yield* git(`git rev-parse --show-toplevel && ${names}`, limits.names)
    if (nameOutput.code !== 0) return failed(mention, nameOutput.output)
    const [top = cwd, ...files] = nameOutput.output.split("\n").filter((line) => line !== "")
    // git quotes names with special characters: such a file can't be judged by the quoted form.
    const readable = files.filter((file) => !file.startsWith("\"") && refusal(`${top}/${file}`, `${top}/${file}`) === undefined)
    const deniedCount = files.length - readable.length
    if (nameOutput.output.length >= limits.names || deniedCount > 0 && readable.length > limits.files)
      return notice(mention, "it changes too many files to check them one by one.")
    const command = deniedCount === 0 ? `${prefix}${patch}`
      : readable.length === 0 ? `${prefix}true` : `${prefix}${patch} ${readable.map(pathspec).join(" ")}`
    const { code, output } = yield* git(command, maxCharacters)
    if (code !== 0) return failed(mention, output)
    const omission = deniedCount === 0 ? []
      : [
        `[Left out: ${deniedCount} ${
          deniedCount === 1 ? "file" : "files"
        } with special characters in the name or closed by permission rules.]`
      ]
    return mentionText(mention, [...(output.trim() === "" ? ["(no changes)"] : [output]), ...omission].join("\n"))
  }).pipe(Effect.catch(({ message }) => Effect.succeed(notice(mention, message))))
})

const failed = (mention: Mention.Mention, output: string): Content => notice(mention, output.trim().split("\n").at(-1) ?? "git failed.")

/** A name from the top of the repository, without pattern characters, as a shell word. */
const pathspec = (file: string): string => Quote.always(`:(top,literal)${file}`)
