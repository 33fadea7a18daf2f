/**
 * In place of the validator of the library for the Model Context Protocol, a third of its code: operations check their own arguments, and
 * the service asks clients for nothing whose answer the library would check.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This bundle has no validator of JSON schemas.');
  }
}
