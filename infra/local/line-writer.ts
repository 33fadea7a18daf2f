/**
 * Writes lines together that come in one turn of the event loop: each write is a call of the system. What is left when the process
 * exits, or ends by an error, is written then. Only a kill loses lines, those of one turn.
 */
export function lineWriter(write: (text: string) => void): (line: string) => void {
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) {
      const text = lines.join('\n');
      lines = [];
      write(text);
    }
  };
  process.on('exit', flush);
  return (line) => {
    if (lines.push(line) === 1) {
      setImmediate(flush);
    }
  };
}
