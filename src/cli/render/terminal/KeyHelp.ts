/** The keys of the input line, for `?` and `/help`. */

const keys: ReadonlyArray<readonly [keys: string, action: string]> = [
  ["Enter", "send; steer while a task runs"],
  ["Tab, Alt-Enter", "queue a message until the task ends"],
  ["\\ Enter, Ctrl-J", "new line; also Shift-Enter"],
  ["Up, Down, Ctrl-R", "queued and earlier messages; search"],
  ["Esc, Ctrl-C", "interrupt; Ctrl-C twice exits"],
  ["Esc Esc", "edit the last message and rewind"],
  ["Shift-Tab", "change the permission mode"],
  ["Ctrl-B", "move the command to the background"],
  ["Ctrl-O", "the running command; or a whole output"],
  ["Ctrl-G", "edit the input line in your editor"],
  ["Ctrl-V", "attach the image in the clipboard"],
  ["/", "commands; Tab completes"],
  ["@", "files, folders and addresses to attach"],
  ["!", "run a shell command of your own"],
  ["Ctrl-Z, Ctrl-D", "suspend; exit"]
]

export const lines: ReadonlyArray<string> = keys.map(([keys, action]) => `${keys.padEnd(18)}${action}`)
