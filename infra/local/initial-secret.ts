import { randomInt } from 'node:crypto';
import * as z from 'zod';

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** The properties of `AWS::SecretsManager::Secret` that decide its first value. */
export const SecretProperties = z.object({
  SecretString: z.string().optional(),
  GenerateSecretString: z
    .object({
      PasswordLength: z.number().default(32),
      ExcludeCharacters: z.string().default(''),
      ExcludeLowercase: z.boolean().default(false),
      ExcludeUppercase: z.boolean().default(false),
      ExcludeNumbers: z.boolean().default(false),
      ExcludePunctuation: z.boolean().default(false),
      IncludeSpace: z.boolean().default(false),
      SecretStringTemplate: z.string().optional(),
      GenerateStringKey: z.string().optional(),
    })
    .optional(),
});

/** The value that CloudFormation gives to a new secret: the template's, or a random password made to its wishes. */
export function initialSecretValue(properties: z.infer<typeof SecretProperties>): string {
  const { SecretString, GenerateSecretString: wishes } = properties;
  if (!wishes) {
    return SecretString ?? '';
  }
  const excluded = new Set(wishes.ExcludeCharacters);
  const alphabet = [
    wishes.ExcludeUppercase ? '' : upper,
    wishes.ExcludeLowercase ? '' : lower,
    wishes.ExcludeNumbers ? '' : digits,
    wishes.ExcludePunctuation ? '' : punctuation,
    wishes.IncludeSpace ? ' ' : '',
  ]
    .flatMap((characters) => [...characters])
    .filter((character) => !excluded.has(character));
  const password = Array.from({ length: wishes.PasswordLength }, () => alphabet[randomInt(alphabet.length)]);
  const { SecretStringTemplate: template, GenerateStringKey: key } = wishes;
  if (template === undefined || key === undefined) {
    return password.join('');
  }
  return JSON.stringify({ ...JSON.parse(template), [key]: password.join('') });
}
