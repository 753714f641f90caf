/** The thread that documents are read in: it can be ended in the middle, and is with whatever it holds. */
import { parentPort, workerData } from "node:worker_threads"
import type { Document } from "../../domain/workspace/FileKind.ts"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import type { Told } from "./DocumentText.ts"

const readers: { readonly [K in Document]: () => Promise<{ readonly read: (bytes: Uint8Array) => Promise<Told> }> } = {
  docx: () => import("./Word.ts"),
  pdf: () => import("./Pdf.ts"),
  xlsx: () => import("./Sheets.ts")
}

/** What comes back: the text, or why there is none. */
export type Answer = { readonly told: Told } | { readonly error: Pick<DocumentError, "message" | "reason"> }

const { bytes, kind } = workerData as { readonly bytes: Uint8Array; readonly kind: Document }

const answer = await readers[kind]().then(({ read }) => read(bytes)).then(
  (told): Answer => ({ told }),
  (cause: unknown): Answer => ({
    error: cause instanceof DocumentError ? { reason: cause.reason, message: cause.message } : { reason: "Damaged", message: cause instanceof Error ? cause.message : String(cause) }
  })
)
parentPort?.postMessage(answer)
