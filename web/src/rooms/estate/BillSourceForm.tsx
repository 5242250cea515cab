import { Alert, Anchor, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { BillSource } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Remove } from '../../display/Remove';
import { addBillSource, changeBillSource, removeBillSource } from './bill-sources';
import { connectionsQuery, useChange } from './queries';

/** A bucket with bills to add, change or remove. */
export function BillSourceForm({ source, onClose }: { source?: BillSource; onClose: () => void }) {
  const add = useChange(addBillSource);
  const patch = useChange(changeBillSource);
  const change = source ? patch : add;
  const connections = useQuery(connectionsQuery);
  const aws = (connections.data?.items ?? []).filter(
    ({ provider, credentials_kind }) => provider === 'aws' && credentials_kind !== 'simulated',
  );
  const form = useForm({
    initialValues: {
      name: source?.name ?? '',
      connection_id: source?.connection_id ?? '',
      bucket: source?.bucket ?? '',
      prefix: source?.prefix ?? '',
      region: source?.region ?? '',
      enabled: source?.enabled ?? true,
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      connection_id: (value) => (value ? null : 'Choose a connection'),
      bucket: (value) => (value.trim() === '' ? 'Enter the name of the bucket' : null),
    },
  });
  const submit = form.onSubmit(({ enabled, ...values }) => {
    const given = {
      ...values,
      name: values.name.trim(),
      bucket: values.bucket.trim(),
      region: values.region.trim() || undefined,
    };
    const done = {
      onSuccess: () => {
        announce(source ? 'Bill source changed.' : 'Bill source added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (source) patch.mutate({ id: source.id, version: source.version, enabled, ...given }, done);
    else add.mutate(given, done);
  });
  return (
    <FormDialog
      title={source ? `Change ${source.name}` : 'Add a bucket with bills'}
      size="lg"
      submit={source ? 'Save' : 'Add bucket'}
      error={change.error}
      marked={['name', 'connection_id', 'bucket', 'prefix', 'region']}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        source && (
          <Remove
            what={source.name}
            room="estate"
            explain="Removes the bills that were read from it. The bucket stays as it is."
            remove={() => removeBillSource(source.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      {connections.data && aws.length === 0 && (
        <Alert color="yellow" variant="light" title="No AWS connection with credentials yet">
          A bucket is read with the credentials of a connection.{' '}
          <Anchor inherit renderRoot={(props) => <Link to="/estate/connections/aws" {...props} />}>
            Connect an AWS account
          </Anchor>{' '}
          first, or put FOCUS files into the folder charges/ of the data directory.
        </Alert>
      )}
      <TextInput
        label="Name"
        placeholder="FOCUS export"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label="Connection"
        description="Its credentials need s3:ListBucket and s3:GetObject on the bucket"
        data={aws.map(({ id, name }) => ({ value: id, label: name }))}
        withAsterisk
        allowDeselect={false}
        {...form.getInputProps('connection_id')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Bucket"
          placeholder="acme-billing"
          withAsterisk
          {...form.getInputProps('bucket')}
        />
        <TextInput
          label="Region"
          placeholder="The connection's first"
          {...form.getInputProps('region')}
        />
      </SimpleGrid>
      <TextInput
        label="Prefix"
        placeholder="exports/focus/"
        description="Only objects whose names begin so"
        {...form.getInputProps('prefix')}
      />
      {source && (
        <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
