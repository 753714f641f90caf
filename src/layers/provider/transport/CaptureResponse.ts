/**
 * Runs an SDK call with a fetch that captures the response for us. The SDK gets an empty response, and what it makes of that
 * is ignored. Only SDKs that never expose the response itself need this.
 */
export const captureResponse = (
  fetch: typeof globalThis.fetch,
  call: (fetch: typeof globalThis.fetch) => Promise<unknown>
): Promise<Response> => {
  const captured = Promise.withResolvers<Response>()
  const capturing: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok) return response
    captured.resolve(response)
    return new Response("", { status: response.status, headers: response.headers })
  }
  return Promise.race([captured.promise, call(capturing).then(() => captured.promise)])
}
