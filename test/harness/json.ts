/** JSON of many shapes, such as a response or a template: a test asserts what it expects of it. */
// biome-ignore lint/suspicious/noExplicitAny: a precise type would say what the test is there to find out.
export type Json = any;
