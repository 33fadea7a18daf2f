/** An error with a status, which Fastify sends. */
export class Refusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`Refused with ${statusCode}`);
    this.statusCode = statusCode;
  }
}
