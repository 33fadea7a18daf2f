import { argon2Passwords, type Passwords } from '../kernel/auth/passwords.ts';

/** Hashes with Argon2id at its full cost. */
export function providePasswords(_environment: NodeJS.ProcessEnv) {
  const passwords = argon2Passwords();
  return (): Passwords => passwords;
}
