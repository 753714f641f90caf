/** Changes that the user makes to the to-do list, as commands with numbers from 1. */
import * as Result from "effect/Result"
import type { Content } from "../message/Message.ts"
import type { TodoItem } from "./Outcome.ts"
import * as Todo from "./Todo.ts"

type Items = ReadonlyArray<TodoItem>

/** The longest text of an item, in characters. */
export const maxText = 500

export const add = (items: Items, text: string, at = items.length): Items => items.toSpliced(at, 0, { text, state: "pending" })

/** Done, or not done any more. */
export const tick = (items: Items, index: number): Items =>
  items.map((item, i) => i !== index ? item : { ...item, state: item.state === "done" ? "pending" : "done" })

export const remove = (items: Items, index: number): Items => items.toSpliced(index, 1)

export const rename = (items: Items, index: number, text: string): Items => items.map((item, i) => i === index ? { ...item, text } : item)

/** One item at another place; a place outside of the list changes nothing. */
export const move = (items: Items, from: number, to: number): Items => {
  const item = items[from]
  return item === undefined || to < 0 || to >= items.length ? items : items.toSpliced(from, 1).toSpliced(to, 0, item)
}

export const usage = "/todo add <text>, /todo done <n>, /todo edit <n> <text>, /todo move <n> <place>, /todo delete <n>, /todo clear"

/** The list after `add write tests`, `done 2`, `edit 2 text`, `move 3 1`, `delete 2` or `clear`; a failure says what is wrong. */
export const command = (items: Items, input: string): Result.Result<Items, string> => {
  const [, name = "", rest = ""] = /^(\S+)\s*([^]*)$/.exec(input.trim()) ?? []
  const [, numberText = "", text = ""] = /^(\d*)\s*([^]*)$/.exec(rest) ?? []
  const index = Number(numberText) - 1
  const withItem = (change: () => Result.Result<Items, string>) =>
    index in items && numberText !== "" ? change()
      : Result.fail(items.length === 0 ? "The to-do list is empty." : `The to-do list has items 1 to ${items.length}. Usage: ${usage}.`)
  const withText = (text: string, change: (text: string) => Items): Result.Result<Items, string> => {
    const line = text.replace(/\s+/g, " ").trim()
    return line === "" ? Result.fail(`The text is missing. Usage: ${usage}.`)
      : line.length > maxText ? Result.fail(`An item has at most ${maxText} characters.`)
      : Result.succeed(change(line))
  }
  switch (name) {
    case "add":
      return withText(rest, (line) => add(items, line))
    case "done":
    case "tick":
      return withItem(() => Result.succeed(tick(items, index)))
    case "delete":
    case "rm":
      return withItem(() => Result.succeed(remove(items, index)))
    case "edit":
      return withItem(() => withText(text, (line) => rename(items, index, line)))
    case "move":
      return withItem(() =>
        Number(text) - 1 in items ? Result.succeed(move(items, index, Number(text) - 1))
          : Result.fail(`The to-do list has places 1 to ${items.length}.`)
      )
    case "clear":
      return Result.succeed([])
    default:
      return Result.fail(`Unknown action ${name}. Usage: ${usage}.`)
  }
}

const noteIntro = "[The user changed the todo list."

/** What the model reads about a change by the user; only the last one counts. */
export const note = (items: Items): Content => ({
  _tag: "Text",
  text: items.length === 0 ? `${noteIntro} It is empty now.]` : `${noteIntro} It is now:]\n${Todo.render(items)}`,
  origin: "reminder"
})

export const isNote = (part: Content): boolean => part._tag === "Text" && part.origin === "reminder" && part.text.startsWith(noteIntro)
