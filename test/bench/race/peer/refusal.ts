/** Fastify answers an error with its status. */
export class Refusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`Refused with ${statusCode}`);
    this.statusCode = statusCode;
  }
}
