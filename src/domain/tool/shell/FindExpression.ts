/** The expression of `find`: starting folders, then tests. An action not listed here runs, writes or deletes something. */
import { options } from "./Options.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"
import { type OperandEffects, touchOf } from "./Touches.ts"

export const findTests = options(
  "-H -L -P -a -and -daystart -d -depth -empty -executable -false -follow -ignore_readdir_race -ls -mount -nogroup -noleaf -not -nouser -o -or -print -print0 -prune -quit -readable -true -writable -xdev "
    + "-amin= -anewer< -atime= -cmin= -cnewer< -ctime= -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= -iwholename= -links= -lname= -maxdepth= -mindepth= -mmin= -mtime= -name= -newer< -newermt= -newerct= -newerat= -path= -perm= -printf= -regex= -regextype= -samefile< -size= -type= -uid= -used= -user= -wholename= -xtype=",
  true
)

export const findExpression = (_: string, words: ReadonlyArray<Word>): OperandEffects => {
  const touches: Array<Touch> = []
  const hazards: Array<Hazard> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (/^[(),!]$/.test(word.text)) continue
    const isOption = word.text.startsWith("-")
    if (!isOption && (word.kind !== "dynamic" || word.text !== "")) {
      touches.push(touchOf("read", word, word.text, { isCertain: true }))
      continue
    }
    const kind = word.kind === "literal" ? findTests.kindByName.get(word.text) : undefined
    if (kind === undefined) {
      const reason = isOption ? `find ${word.source} does more than look` : `${word.source} may turn out to be an action of find`
      const end = /^-(?:exec|ok)/.test(word.text) ? words.findIndex(({ text }, i) => i > at && (text === ";" || text === "+")) : undefined
      hazards.push({ reason, word, opaque: !isOption, ...(word.text === "-exec" && end !== -1 ? { inner: true } : {}) })
      if (end !== undefined) {
        at = end < 0 ? words.length : end
      }
      continue
    }
    const value = kind === "none" ? undefined : words[at + 1]
    if (value?.splits === true) hazards.push({ reason: `${value.source} may expand to several words`, word: value, opaque: true })
    if (kind === "read" && value !== undefined) touches.push(touchOf("read", value, value.text))
    if (kind !== "none") at++
  }
  return { touches, hazards }
}
