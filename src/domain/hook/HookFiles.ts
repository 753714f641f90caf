/** The files of the project that a hook's command names: what trust in the hook is bound to, besides its text. */
/** Relative to the project folder, in their order, each once; whether they exist only the disk knows. */
export const referenced = (command: string): ReadonlyArray<string> => {
  const projectCommand = command.replaceAll(/["']?\$\{?(?:DACAPO|CLAUDE|GEMINI)_PROJECT_DIR\}?["']?\/?/g, "./")
  const words = projectCommand.split(/[\s;|&()<>"'`=]+/)
  return [
    ...new Set(words.flatMap((word) => {
      const path = word.replace(/^(?:\.\/)+/, "")
      return path === "" || path.startsWith("-") || path.startsWith("/") || path.split("/").includes("..") ? [] : [path]
    }))
  ]
}
