/** Native attributes of an item, as DynamoDB's expressions see them. */
export type Attributes = Readonly<Record<string, unknown>>;

type Values = Readonly<Record<string, unknown>>;

/**
 * Whether a condition holds for an item; undefined stands for none. It understands what the product's conditions are made of:
 * comparisons, `attribute_exists`, `attribute_not_exists`, `AND`, `OR`, `NOT` and parentheses.
 * @throws for any other expression.
 */
export function holds(condition: string, item: Attributes | undefined, values: Values = {}): boolean {
  const tokens = tokensOf(condition);
  const result = disjunction(tokens, { item: item ?? {}, values });
  tokens.end();
  return result;
}

/**
 * The attributes after an update. It understands `SET` (of values, attributes, `if_not_exists`, sums and differences), `ADD` of numbers,
 * and `REMOVE`.
 * @throws for any other expression.
 */
export function updatedAttributes(update: string, item: Attributes, values: Values = {}): Attributes {
  const tokens = tokensOf(update);
  const context = { item, values };
  const after: Record<string, unknown> = { ...item };
  while (tokens.peek() !== undefined) {
    const clause = clauses[tokens.next().toUpperCase()];
    if (clause === undefined) {
      throw tokens.unknown();
    }
    do {
      clause(tokens, context, after);
    } while (tokens.takes(','));
  }
  return after;
}

interface Context {
  readonly item: Attributes;
  readonly values: Values;
}

type Clause = (tokens: Tokens, context: Context, after: Record<string, unknown>) => void;

const clauses: Readonly<Record<string, Clause>> = {
  SET(tokens, context, after) {
    const name = tokens.next();
    tokens.expect('=');
    after[name] = sum(tokens, context);
  },
  ADD(tokens, context, after) {
    const name = tokens.next();
    after[name] = Number(context.item[name] ?? 0) + Number(operand(tokens, context));
  },
  REMOVE(tokens, _, after) {
    delete after[tokens.next()];
  },
};

function sum(tokens: Tokens, context: Context): unknown {
  const first = operand(tokens, context);
  if (tokens.takes('+')) {
    return Number(first) + Number(operand(tokens, context));
  }
  return tokens.takes('-') ? Number(first) - Number(operand(tokens, context)) : first;
}

function operand(tokens: Tokens, context: Context): unknown {
  const token = tokens.next();
  if (token === 'if_not_exists') {
    tokens.expect('(');
    const name = tokens.next();
    tokens.expect(',');
    const otherwise = operand(tokens, context);
    tokens.expect(')');
    return context.item[name] ?? otherwise;
  }
  return token.startsWith(':') ? context.values[token.slice(1)] : context.item[token];
}

function disjunction(tokens: Tokens, context: Context): boolean {
  let result = conjunction(tokens, context);
  while (tokens.takes('OR')) {
    const next = conjunction(tokens, context);
    result ||= next;
  }
  return result;
}

function conjunction(tokens: Tokens, context: Context): boolean {
  let result = statement(tokens, context);
  while (tokens.takes('AND')) {
    const next = statement(tokens, context);
    result &&= next;
  }
  return result;
}

function statement(tokens: Tokens, context: Context): boolean {
  if (tokens.takes('NOT')) {
    return !statement(tokens, context);
  }
  if (tokens.takes('(')) {
    const result = disjunction(tokens, context);
    tokens.expect(')');
    return result;
  }
  for (const [name, wanted] of existence) {
    if (tokens.takes(name)) {
      tokens.expect('(');
      const exists = context.item[tokens.next()] !== undefined;
      tokens.expect(')');
      return exists === wanted;
    }
  }
  const left = operand(tokens, context);
  const compare = comparisons[tokens.next()];
  if (compare === undefined) {
    throw tokens.unknown();
  }
  return compare(left, operand(tokens, context));
}

const existence = [
  ['attribute_exists', true],
  ['attribute_not_exists', false],
] as const;

type Comparable = string | number;

/** A missing attribute equals nothing, and is neither less nor more than anything. */
const ordered =
  (compare: (left: Comparable, right: Comparable) => boolean) =>
  (left: unknown, right: unknown): boolean =>
    left !== undefined && typeof left === typeof right && compare(left as Comparable, right as Comparable);

const comparisons: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  '=': (left, right) => left !== undefined && left === right,
  '<>': (left, right) => left !== right,
  '<': ordered((left, right) => left < right),
  '<=': ordered((left, right) => left <= right),
  '>': ordered((left, right) => left > right),
  '>=': ordered((left, right) => left >= right),
};

type Tokens = ReturnType<typeof tokensOf>;

function tokensOf(expression: string) {
  const all = expression.match(/<>|<=|>=|[=<>(),+-]|:?\w+|\S/g) ?? [];
  let at = 0;
  const unknown = () =>
    new Error(`A simulation cannot evaluate the expression "${expression}" (at ${all[at - 1]})`);
  const takes = (token: string): boolean => {
    const isNext = all[at] === token;
    at += isNext ? 1 : 0;
    return isNext;
  };
  return {
    unknown,
    takes,
    peek: () => all[at],
    next(): string {
      at += 1;
      return all[at - 1] ?? '';
    },
    expect(token: string): void {
      if (!takes(token)) {
        at += 1;
        throw unknown();
      }
    },
    end(): void {
      if (at < all.length) {
        at += 1;
        throw unknown();
      }
    },
  };
}
