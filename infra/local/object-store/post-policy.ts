import * as z from 'zod';
import { StoreError } from './errors.ts';
import { type Access, isSignatureFor, signingAlgorithm, signingScope } from './signature.ts';

/** Fields that need no condition: the policy, its signature, and the file. */
const uncovered = ['x-amz-signature', 'policy', 'file'];

const Size = z.coerce.number().int().nonnegative();
const Condition = z.union([
  z.tuple([z.literal('content-length-range'), Size, Size]),
  z.record(z.string(), z.string()),
  z.array(z.unknown()),
]);
const Policy = z.object({ expiration: z.iso.datetime(), conditions: z.array(Condition) });

/** The sizes in bytes that a policy allows, both included. */
export interface SizeRange {
  min: number;
  max: number;
}

/**
 * Checks the signature of a form and the form against its policy, and returns the sizes that the policy allows. `fields` are by lower-case
 * name. @throws S3's error for a form that is forged, expired or changed, or has fields that the policy does not allow.
 */
export function requirePostPolicy(
  fields: ReadonlyMap<string, string>,
  bucket: string,
  access: Access,
): SizeRange {
  const encoded = fields.get('policy');
  if (encoded === undefined) {
    throw new StoreError('AccessDenied');
  }
  requirePolicySignature(encoded, fields, access);
  const policy = parsedPolicy(encoded);
  if (new Date(policy.expiration) <= access.now) {
    throw refused('Policy expired.');
  }

  const all = new Map([...fields, ['bucket', bucket]]);
  const covered = new Set(uncovered);
  let size: SizeRange = { min: 0, max: Number.POSITIVE_INFINITY };
  for (const condition of policy.conditions) {
    if (!Array.isArray(condition)) {
      for (const [name, value] of Object.entries(condition)) {
        requireCondition(name, value, all, covered);
      }
    } else if (typeof condition[1] === 'number' && typeof condition[2] === 'number') {
      size = { min: Math.max(size.min, condition[1]), max: Math.min(size.max, condition[2]) };
    } else {
      throw new StoreError('NotImplemented', { Condition: JSON.stringify(condition) });
    }
  }
  const extra = [...all.keys()].filter((name) => !covered.has(name) && !name.startsWith('x-ignore-'));
  if (extra.length > 0) {
    throw refused(`Extra input fields: ${extra.join(', ')}`);
  }
  return size;
}

function requirePolicySignature(policy: string, fields: ReadonlyMap<string, string>, access: Access): void {
  const field = (name: string): string => {
    const value = fields.get(name.toLowerCase());
    if (value !== undefined) {
      return value;
    }
    throw new StoreError(
      'InvalidArgument',
      { ArgumentName: name, ArgumentValue: '' },
      `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    );
  };
  if (field('X-Amz-Algorithm') !== signingAlgorithm) {
    throw invalid(
      'X-Amz-Algorithm',
      field('X-Amz-Algorithm'),
      `X-Amz-Algorithm only supports "${signingAlgorithm}"`,
    );
  }
  const signature = field('X-Amz-Signature');
  const credential = field('X-Amz-Credential');
  const scope = signingScope(credential, field('X-Amz-Date'), access, (defect) =>
    invalid('X-Amz-Credential', credential, `Error parsing the X-Amz-Credential parameter; ${defect}`),
  );
  if (isSignatureFor(policy, scope, signature)) {
    return;
  }
  throw new StoreError('SignatureDoesNotMatch', { StringToSign: policy, SignatureProvided: signature });
}

function parsedPolicy(encoded: string): z.infer<typeof Policy> {
  try {
    return Policy.parse(JSON.parse(Buffer.from(encoded, 'base64').toString()));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON in base64.';
    throw new StoreError('InvalidPolicyDocument', {}, `Invalid Policy: ${reason}`);
  }
}

function requireCondition(
  name: string,
  expected: string,
  fields: ReadonlyMap<string, string>,
  covered: Set<string>,
): void {
  const field = name.toLowerCase();
  covered.add(field);
  if ((fields.get(field) ?? '') !== expected) {
    throw refused(`Policy Condition failed: ${JSON.stringify(['eq', `$${name}`, expected])}`);
  }
}

function refused(reason: string): StoreError {
  return new StoreError('AccessDenied', {}, `Invalid according to Policy: ${reason}`);
}

function invalid(ArgumentName: string, ArgumentValue: string, message: string): StoreError {
  return new StoreError('InvalidArgument', { ArgumentName, ArgumentValue }, message);
}
