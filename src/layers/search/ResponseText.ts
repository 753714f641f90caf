/** The body of a fetched response, up to a number of bytes. */
export const read = async (response: Response, maxBytes: number): Promise<{ readonly text: string; readonly isTruncated: boolean }> => {
  const reader = response.body?.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  while (reader !== undefined && size <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  await reader?.cancel().catch(() => {})
  return { text: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes)), isTruncated: size > maxBytes }
}
