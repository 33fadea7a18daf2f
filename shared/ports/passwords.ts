import { argon2Passwords, type Passwords } from '../auth/passwords.ts';

export function providePasswords(_environment: NodeJS.ProcessEnv) {
  const passwords = argon2Passwords();
  return (): Passwords => passwords;
}
