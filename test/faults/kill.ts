/** Kills the built command at many points and tells what came of it: `node test/faults/kill.ts [points] [seed] [kind]`. */
import * as Kills from "./Kills.ts"

const [points = "200", seed = "1", only] = process.argv.slice(2)
const names = Object.keys(Kills.kinds).filter((kind) => only === undefined || kind.includes(only))
let broken: ReadonlyArray<string> = []
let met = 0
for (const kind of names) {
  const told = await Kills.tally(kind, Math.ceil(Number(points) / names.length), seed)
  broken = [...broken, ...told.broken]
  met += told.points
  const lost = told.mostLostMs > 0 ? `, at most ${told.mostLostMs} ms of streamed text lost` : ""
  console.log(`${String(told.points).padStart(4)} killed ${kind} (of ${told.tried} tries)${lost}, ${told.broken.length} promises broken`)
}
broken.forEach((what) => console.log(what))
console.log(`${met} kills with seed ${seed}, ${broken.length} promises broken.`)
process.exitCode = broken.length === 0 && met >= Number(points) ? 0 : 1
