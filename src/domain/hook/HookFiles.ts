/** The files of the project that a hook's command names: what trust in the hook is bound to, besides its text. */
/** Where a command only writes to: a log that a hook extends must not disable it. */
const outputFile = /(?<![<>])>{1,2}\|?[ \t]*(?:[^\s;|&()<>"'`]+|"[^"$`]*"|'[^']*')/g

/** Relative to the project folder, in their order, each once; whether they exist only the disk knows. */
export const referenced = (command: string): ReadonlyArray<string> => {
  const projectCommand = command.replaceAll(/["']?\$\{?(?:DACAPO|CLAUDE|GEMINI)_PROJECT_DIR\}?["']?\/?/g, "./")
  const words = projectCommand.replaceAll(outputFile, " ").split(/[\s;|&()<>"'`=]+/)
  return [
    ...new Set(words.flatMap((word) => {
      const path = word.replace(/^(?:\.\/)+/, "")
      return path === "" || path.startsWith("-") || path.startsWith("/") || path.split("/").includes("..") ? [] : [path]
    }))
  ]
}
