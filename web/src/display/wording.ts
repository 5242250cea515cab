// The service's names (`right_size`) in words.
import { metricLabel } from './metric-names';

const SPECIAL: Record<string, string> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
  simulated: 'Simulated',
  right_size: 'Right-size',
  iam_optimization: 'IAM optimization',
  api: 'API',
  cli: 'CLI',
  api_key: 'API key',
  db_optimizer: 'Database optimizer',
  ops_intelligence: 'Operations intelligence',
  on_demand: 'On-demand',
  ec2: 'EC2',
  rds: 'RDS',
  s3: 'S3',
  ebs: 'EBS',
  cpu: 'CPU',
  soc2: 'SOC 2',
  iso27001: 'ISO 27001',
  hipaa: 'HIPAA',
  pci_dss: 'PCI DSS',
  gdpr: 'GDPR',
  fedramp_moderate: 'FedRAMP moderate',
  cis_aws: 'CIS AWS',
  iam_user: 'IAM user',
  iam_role: 'IAM role',
  iam_group: 'IAM group',
  iam_policy: 'IAM policy',
};

export function words(name: string): string {
  const special = SPECIAL[name] ?? metricLabel(name);
  if (special) return special;
  const text = name.replace(/[._]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Words that begin in lower case as a sentence of their own; a name at their beginning stays as it is. */
export function sentence(text: string): string {
  return /^[a-z]+([@._]|-[a-z\d]+ called )/.test(text)
    ? text
    : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names as options of a select, in words. */
export function options(names: readonly string[]): { value: string; label: string }[] {
  return names.map((name) => ({ value: name, label: words(name) }));
}
