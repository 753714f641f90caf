/** The permission mode, the model and the effort of a session: what the next request is made with. */
import { useState } from "preact/hooks"
import { Mode } from "../../domain/approval/Mode.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { Effort } from "../../domain/provider/ModelRequest.ts"
import * as ReasoningEffort from "../../domain/provider/ReasoningEffort.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Api from "../client/Api.ts"
import type { SessionStore } from "../client/SessionStore.ts"
import { safe } from "./Text.tsx"

const modeNames: Readonly<Record<Mode, string>> = {
  default: "Ask for approval",
  acceptEdits: "Accept edits",
  plan: "Plan",
  auto: "Auto",
  dontAsk: "Don't ask",
  bypassPermissions: "Bypass permissions"
}

/** In one line, for a moment that can't be changed any more. */
export const describeSettings = ({ settings: { mode, model } }: Session): string => `${modeNames[mode]}, ${Model.nameWithEffort(model)}`

export const SessionSettings = ({ session: { settings }, store }: { readonly store: SessionStore; readonly session: Session }) => {
  const { mode, model } = settings
  const levels = ReasoningEffort.levels(model)
  return (
    <div class="settings-bar">
      <label class="hidden" for="mode">Permission mode</label>
      <select
        id="mode"
        class="quiet-field"
        value={mode}
        onChange={({ currentTarget }) => void store.operate({ _tag: "SetMode", session: store.id, mode: currentTarget.value as Mode })}
      >
        {Mode.literals.filter((one) => one !== "bypassPermissions" || mode === one).map((one) => (
          <option key={one} value={one}>{modeNames[one]}</option>
        ))}
      </select>
      <ModelChoice key={Model.title(model)} store={store} model={Model.title(model)} />
      {levels.length === 0 ? null : (
        <>
          <label class="hidden" for="effort">Effort</label>
          <select
            id="effort"
            class="quiet-field"
            value={model.think ?? ""}
            onChange={({ currentTarget: { value } }) =>
              void store.operate({ _tag: "SetEffort", session: store.id, effort: value as Effort })}
          >
            {model.think === undefined ? <option value="" hidden>Effort</option> : null}
            {levels.map((level) => <option key={level} value={level}>{`${level[0]!.toUpperCase()}${level.slice(1)} effort`}</option>)}
          </select>
        </>
      )}
    </div>
  )
}

/** A text with suggestions: any model that the server knows can be named. */
const ModelChoice = ({ model, store }: { readonly store: SessionStore; readonly model: string }) => {
  const [text, setText] = useState(model)
  const [models, setModels] = useState<ReadonlyArray<string>>()
  const submit = (): void => {
    const name = text.trim()
    if (name === "") setText(model)
    else if (name !== model) void store.operate({ _tag: "SetModel", session: store.id, model: name })
  }
  const load = (): void => {
    if (models === undefined) void Api.models().then(setModels, () => setModels([]))
  }
  return (
    <>
      <label class="hidden" for="model">Model</label>
      <input
        id="model"
        class="quiet-field"
        list="models"
        autocomplete="off"
        value={text}
        title={safe(`Model: ${model}`)}
        spellcheck={false}
        onFocus={load}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setText(model)
          if (event.key !== "Enter") return
          event.preventDefault()
          submit()
        }}
        onBlur={submit}
      />
      <datalist id="models">{(models ?? []).map((name) => <option key={name} value={name} />)}</datalist>
    </>
  )
}
