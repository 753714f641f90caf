/** The thread that reads documents: it can be terminated at any time, with everything it holds. */
import { parentPort, workerData } from "node:worker_threads"
import type { Document } from "../../domain/workspace/FileKind.ts"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import type { DocumentText } from "./DocumentText.ts"

const readers: { readonly [K in Document]: () => Promise<{ readonly read: (bytes: Uint8Array) => Promise<DocumentText> }> } = {
  docx: () => import("./Word.ts"),
  pdf: () => import("./Pdf.ts"),
  xlsx: () => import("./Sheets.ts")
}

/** The result: the text, or why there is none. */
export type WorkerResponse = { readonly document: DocumentText } | { readonly error: Pick<DocumentError, "message" | "reason"> }

const { bytes, kind } = workerData as { readonly bytes: Uint8Array; readonly kind: Document }

const response = await readers[kind]().then(({ read }) => read(bytes)).then(
  (document): WorkerResponse => ({ document }),
  (cause: unknown): WorkerResponse => ({
    error: cause instanceof DocumentError ? { reason: cause.reason, message: cause.message }
      : { reason: "Damaged", message: cause instanceof Error ? cause.message : String(cause) }
  })
)
parentPort?.postMessage(response)
