/** Whether the header `Accept-Encoding` names the content coding, and does not refuse it with `q=0`. */
export function accepts(acceptEncoding = '', coding: string): boolean {
  return acceptEncoding.split(',').some((entry) => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    return name.trim() === coding && !parameters.some((one) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(one));
  });
}
