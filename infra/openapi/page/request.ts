/**
 * The response of an operation; with a body it is a POST.
 * @throws with the words of the service when it refuses.
 */
// biome-ignore lint/suspicious/noExplicitAny: the responses are those of the operations that the panels call.
export async function sendRequest(token: string, path: string, body?: object): Promise<any> {
  const response = await fetch(path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const result = await response.json();
  if (!response.ok) {
    throw new Error(result.message ?? result.error);
  }
  return result;
}
