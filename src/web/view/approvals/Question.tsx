/** A question of the model, with the answers that it suggests. */
import { useState } from "preact/hooks"
import type { PendingQuestion } from "../../../domain/control/PendingRequest.ts"
import { monotonicMs } from "../../client/Frames.ts"
import { Button, Text } from "../Text.tsx"
import { readingMs } from "./Approval.tsx"

export const Question = ({ onReply, request, since }: {
  readonly request: PendingQuestion
  readonly since: number
  readonly onReply: (text: string) => void
}) => {
  const [text, setText] = useState("")
  const reply = (answer: string) => {
    if (answer.trim() !== "" && monotonicMs() - since >= readingMs) onReply(answer)
  }
  return (
    <article class="approval" aria-label="Question">
      <h2>
        <Text of={request.text} />
      </h2>
      <div class="bar">
        {request.options.map((option) => (
          <Button
            key={option}
            onPress={() => reply(option)}
          >
            <Text of={option} />
          </Button>
        ))}
      </div>
      <form class="deny" onSubmit={(event) => (event.preventDefault(), reply(text))}>
        <label>
          Answer<input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <button type="submit" class="button primary">Answer</button>
      </form>
    </article>
  )
}
