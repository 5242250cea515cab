import type { components } from '../../../api/schema';
import { PasswordInput, Select, SimpleGrid, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { KINDS } from './kinds';
import { createDestination, useChange, type Settings } from './queries';

interface Field {
  name: string;
  label: string;
  description?: string;
}
/** Fields of each kind beside name, prefix and secret. */
const FIELDS: Record<string, Field[]> = {
  s3: [
    { name: 'bucket', label: 'Bucket' },
    { name: 'region', label: 'Region' },
    { name: 'endpoint', label: 'Endpoint' },
    { name: 'access_key_id', label: 'Access key' },
  ],
  azure_blob: [
    { name: 'account', label: 'Storage account' },
    { name: 'container', label: 'Container' },
    { name: 'endpoint', label: 'Endpoint' },
  ],
  gcs: [
    { name: 'bucket', label: 'Bucket' },
    { name: 'endpoint', label: 'Endpoint' },
  ],
  sftp: [
    { name: 'host', label: 'Host' },
    { name: 'port', label: 'Port', description: '22 unless given' },
    { name: 'username', label: 'User' },
    {
      name: 'host_key',
      label: 'Host key fingerprint',
      description:
        'SHA256:... Test the connection without it to see the fingerprint that the server presents',
    },
  ],
  folder: [],
};
const SECRETS: Record<string, string> = {
  s3: 'Secret access key',
  azure_blob: 'Account key or SAS token',
  gcs: 'JSON key of a service account',
  sftp: 'Password or private key',
};
const SETTINGS = [
  'bucket',
  'region',
  'endpoint',
  'access_key_id',
  'account',
  'container',
  'host',
  'port',
  'username',
  'host_key',
];
const MARKED = ['name', 'type', 'prefix', 'secret', ...SETTINGS.map((name) => `settings.${name}`)];

interface Values {
  name: string;
  type: string;
  prefix: string;
  secret: string;
  settings: Record<string, string>;
}

function settingsOf(kind: string, values: Record<string, string>): Settings {
  const given = (FIELDS[kind] ?? [])
    .map(({ name }) => [name, values[name]?.trim()] as const)
    .filter(([, value]) => value);
  const { port, ...texts } = Object.fromEntries(given);
  return { ...texts, ...(port && { port: Number(port) }) };
}

const checkPort = (value?: string) =>
  !value?.trim() ||
  (/^\d{1,5}$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= 65_535)
    ? null
    : 'must be 1 to 65535';

/** A destination to add, with the fields of its kind. */
export function DestinationForm({ onClose }: { onClose: () => void }) {
  const create = useChange(createDestination);
  const form = useForm<Values>({
    initialValues: { name: '', type: 's3', prefix: '', secret: '', settings: {} },
    validate: { settings: { port: checkPort } },
  });
  const kind = form.values.type;
  const fields = FIELDS[kind] ?? [];
  const submit = form.onSubmit(({ settings, ...values }) => {
    const onSuccess = () => {
      announce('Destination added');
      onClose();
    };
    create.mutate(
      {
        ...values,
        type: kind as components['schemas']['ExportDestinationType'],
        settings: settingsOf(kind, settings),
      },
      { onSuccess, onError: (error: Error) => form.setErrors(fieldMessages(error)) },
    );
  });
  return (
    <FormDialog
      title="Add a destination"
      submit="Add destination"
      error={create.error}
      marked={MARKED}
      pending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        withAsterisk
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('type')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {fields.map(({ name, label, description }) => (
          <TextInput
            key={`${kind}-${name}`}
            label={label}
            description={description}
            autoComplete="off"
            {...form.getInputProps(`settings.${name}`)}
          />
        ))}
        <TextInput
          label="Prefix"
          description="Folder that files are put below"
          {...form.getInputProps('prefix')}
        />
      </SimpleGrid>
      {kind === 'sftp' && (
        <Textarea
          label={SECRETS[kind]}
          description="A private key in OpenSSH's format, without a passphrase"
          autosize
          minRows={2}
          maxRows={6}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('secret')}
        />
      )}
      {kind !== 'sftp' && SECRETS[kind] && (
        <PasswordInput
          label={SECRETS[kind]}
          autoComplete="new-password"
          {...form.getInputProps('secret')}
        />
      )}
    </FormDialog>
  );
}
