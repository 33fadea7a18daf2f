/** Whether the header `Accept-Encoding` lists the content coding without refusing it by `q=0`. */
export function accepts(acceptEncoding = '', coding: string): boolean {
  return acceptEncoding.split(',').some((entry) => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    return (
      name.trim() === coding && !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))
    );
  });
}
