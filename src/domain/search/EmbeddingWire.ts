/**
 * Embeddings in the wires of the services that compute them. Formats: https://docs.ollama.com/api/embed,
 * https://platform.openai.com/docs/api-reference/embeddings, https://ai.google.dev/api/embeddings, https://docs.voyageai.com/reference
 */
import * as Reader from "../provider/Reader.ts"

/** What a text is for: some models embed a question and a document differently. */
export type Purpose = "document" | "query"

export interface EmbeddingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** `keys` are the variables of its key, `maxTexts` the texts of one request. */
export interface EmbeddingWire {
  readonly title: string
  readonly keys: ReadonlyArray<string>
  readonly baseUrl: string
  readonly baseUrlVariable?: string
  readonly maxTexts: number
  readonly request: (
    at: { readonly baseUrl: string; readonly key: string; readonly model: string },
    texts: ReadonlyArray<string>,
    purpose: Purpose
  ) => EmbeddingRequest
  /** One vector for each text; undefined if the response has another form. */
  readonly read: (body: unknown) => ReadonlyArray<ReadonlyArray<number>> | undefined
}

const vector: Reader.Reader<ReadonlyArray<number>> = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => Number.isFinite(one)) ? value as ReadonlyArray<number> : undefined

/** A list with a vector in each of its objects. */
const vectorsIn = (value: unknown, field: string): ReadonlyArray<ReadonlyArray<number>> | undefined => {
  const entries = Reader.list(Reader.fields)(value)
  const vectors = entries?.map((entry) => vector(entry[field]))
  return vectors?.every((one) => one !== undefined) === true ? vectors : undefined
}

/** OpenAI numbers its vectors, and Voyage too. */
const byIndex = (body: unknown) => {
  const entries = Reader.list(Reader.fields)(Reader.fields(body)?.["data"])?.toSorted((a, b) =>
    (Reader.index(a["index"]) ?? 0) - (Reader.index(b["index"]) ?? 0)
  )
  return vectorsIn(entries, "embedding")
}

const bearer = (key: string) => ({ "content-type": "application/json", ...(key === "" ? {} : { authorization: `Bearer ${key}` }) })

export const wires: Readonly<Record<"gemini" | "ollama" | "openai" | "voyage", EmbeddingWire>> = {
  gemini: {
    title: "Gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "https://generativelanguage.googleapis.com",
    baseUrlVariable: "GEMINI_BASE_URL",
    maxTexts: 100,
    request: ({ baseUrl, key, model }, texts, purpose) => ({
      url: `${baseUrl}/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
      headers: { "content-type": "application/json", "x-goog-api-key": key },
      body: {
        requests: texts.map((text) => ({
          model: `models/${model}`,
          content: { parts: [{ text }] },
          taskType: purpose === "query" ? "CODE_RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT"
        }))
      }
    }),
    read: (body) => vectorsIn(Reader.fields(body)?.["embeddings"], "values")
  },
  ollama: {
    title: "Ollama",
    keys: [],
    baseUrl: "http://127.0.0.1:11434",
    maxTexts: 64,
    request: ({ baseUrl, model }, texts) => ({
      url: `${baseUrl}/api/embed`,
      headers: { "content-type": "application/json" },
      body: { model, input: texts, truncate: true }
    }),
    read: (body) => {
      const list = Reader.fields(body)?.["embeddings"]
      const vectors = Array.isArray(list) ? list.map(vector) : undefined
      return vectors?.every((one) => one !== undefined) === true ? vectors : undefined
    }
  },
  openai: {
    title: "OpenAI",
    keys: ["OPENAI_API_KEY"],
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    maxTexts: 128,
    request: ({ baseUrl, key, model }, texts) => ({
      url: `${baseUrl}/embeddings`,
      headers: bearer(key),
      body: { model, input: texts, encoding_format: "float" }
    }),
    read: byIndex
  },
  voyage: {
    title: "Voyage AI",
    keys: ["VOYAGE_API_KEY"],
    baseUrl: "https://api.voyageai.com/v1",
    maxTexts: 128,
    request: ({ baseUrl, key, model }, texts, purpose) => ({
      url: `${baseUrl}/embeddings`,
      headers: bearer(key),
      body: { model, input: texts, input_type: purpose, truncation: true }
    }),
    read: byIndex
  }
}
