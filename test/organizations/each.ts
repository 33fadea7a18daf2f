import { beforeEach } from 'vitest';
import type { Person, Product } from '../harness/product.ts';
import { type OrganizationsClient, organizationsClient } from './client.ts';

/** A new organization before each test, with its ADMIN, who calls by `client`. */
export function organizationEach(product: Product) {
  let admin: Person;
  beforeEach(async () => {
    admin = await product.newOrganization();
  });
  const client: OrganizationsClient = (...given) => organizationsClient(product, admin)(...given);
  return {
    client,
    get admin() {
      return admin;
    },
  };
}

/** The same with a SALES_REP, and the SUPERADMIN, who calls by `above` on the same organization. */
export async function staffedOrganizationEach(product: Product) {
  const own = organizationEach(product);
  const superadmin = await product.newSuperadmin();
  let rep: Person;
  beforeEach(async () => {
    rep = await product.newColleague(own.admin);
  });
  const above: OrganizationsClient = (...given) =>
    organizationsClient(product, superadmin, own.admin.organizationId)(...given);
  return {
    client: own.client,
    superadmin,
    above,
    get admin() {
      return own.admin;
    },
    get rep() {
      return rep;
    },
  };
}
