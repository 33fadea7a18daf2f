/**
 * Joins the lines of one turn of the event loop into one write, because each write is a system call. Lines that are left when the process
 * exits, also by an error, are written then. Only a kill loses lines, those of one turn.
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
