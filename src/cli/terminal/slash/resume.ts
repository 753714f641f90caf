/** `/resume`: continues an earlier session of this folder, by name or from a list. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Favourites from "../../start/Favourites.ts"
import * as FindSession from "../../start/FindSession.ts"
import * as SessionRow from "../../render/text/SessionRow.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const resume = Effect.fnUntraced(function*({ conversation, cwd, store }: SlashContext, name: string) {
  if (name !== "") return yield* conversation.resume((yield* FindSession.find(name, cwd)).id)
  const now = yield* Clock.currentTimeMillis
  const resumable = yield* Favourites.resumable(cwd)
  const { favourites } = resumable
  const sessions = resumable.sessions.filter(({ id }) => id !== conversation.id())
  if (sessions.length === 0) return yield* ScreenStore.note(store, "No other sessions in this folder.")
  const rows = sessions.map((session) => SessionRow.of(session, now))
  const marked = Favourites.marksOf(sessions, favourites)
  const { choice, marks } = yield* ScreenStore.pickMarked(store, "Choose a session to resume", rows, marked)
  yield* Effect.ignore(Favourites.save(sessions, favourites, marks))
  if (choice !== undefined) yield* conversation.resume(sessions[choice]!.id)
})
