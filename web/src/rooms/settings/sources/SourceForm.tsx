import { Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Remove } from '../../../display/Remove';
import { connectionsQuery } from '../../estate/queries';
import { useChange } from '../queries';
import { FIRST_RULES, KINDS, mappingOf, mappingText } from './kinds';
import { MappingTest } from './MappingTest';
import { addSource, changeSource, removeSource } from './queries';
import type { LogSource } from './queries';

interface Props {
  source?: LogSource;
  /** The token of a new source, shown once by whoever opened the form. */
  onMade: (source: LogSource, token: string) => void;
  onClose: () => void;
}

const NAMES = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** A new source of entries, or a change of one, with a test of its mapping. */
export function SourceForm({ source, onMade, onClose }: Props) {
  const add = useChange(addSource);
  const patch = useChange(changeSource);
  const change = source ? patch : add;
  const connections = useQuery(connectionsQuery);
  const form = useForm({
    initialValues: {
      name: source?.name ?? '',
      kind: source?.kind ?? 'json',
      rules: source ? mappingText(source.mapping ?? undefined) : FIRST_RULES,
      items: source?.mapping?.items ?? '',
      event_types: source?.event_types.join('\n') ?? '',
      connection: source?.queue?.connection ?? '',
      queue_url: source?.queue?.url ?? '',
      enabled: source?.enabled ?? true,
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const { kind, rules, items, connection, queue_url } = form.values;
  const mapping =
    kind === 'json' ? mappingOf(rules, items, source?.mapping ?? undefined) : undefined;
  const aws = connections.data?.items.filter(({ provider }) => provider === 'aws') ?? [];
  const submit = form.onSubmit(({ name, event_types, enabled }) => {
    const shared = {
      mapping,
      event_types: event_types.split(/\s+/).filter(Boolean),
      queue:
        kind === 'cloudtrail' && queue_url.trim() !== ''
          ? { digests: source?.queue?.digests ?? false, connection, url: queue_url.trim() }
          : undefined,
      enabled,
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (source)
      patch.mutate(
        { id: source.id, version: source.version, ...shared },
        {
          onSuccess: () => {
            announce('Source changed.');
            onClose();
          },
          onError,
        },
      );
    else
      add.mutate(
        { name: name.trim(), kind, ...shared },
        {
          onSuccess: (made) => {
            announce('Source added.');
            onMade(made, made.token);
          },
          onError,
        },
      );
  });
  return (
    <FormDialog
      title={source ? `Change ${source.name}` : 'Add a source'}
      size="lg"
      submit={source ? 'Save' : 'Add source'}
      error={change.error}
      marked={['name', 'event_types']}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        source && (
          <Remove
            what={source.name}
            room="settings"
            explain="Its token opens nothing any more, and its quarantine is removed. Its entries stay in the log."
            remove={() => removeSource(source.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      {!source && (
        <>
          <TextInput
            label="Name"
            description="Part of the identifiers of its entries, so it never changes"
            placeholder="okta-prod"
            maxLength={40}
            withAsterisk
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select label="Kind" data={NAMES} allowDeselect={false} {...form.getInputProps('kind')} />
        </>
      )}
      {kind === 'json' && (
        <>
          <Textarea
            label="Rules"
            description={
              'field = path | other path, field = {path}.{path}, or field = "constant", one a line'
            }
            autosize
            minRows={4}
            {...form.getInputProps('rules')}
          />
          <TextInput
            label="Member with the list of events"
            description="Leave empty if the body is an event, a list, or one event a line"
            placeholder="events"
            {...form.getInputProps('items')}
          />
        </>
      )}
      {kind === 'cloudtrail' && (
        <>
          <TextInput
            label="Queue"
            description="Address of an SQS queue with notices about new files. Leave empty if the source pushes"
            placeholder="https://sqs.eu-west-1.amazonaws.com/111122223333/trail"
            {...form.getInputProps('queue_url')}
          />
          <Select
            label="Connection that reads the queue and the files"
            data={aws.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('connection')}
          />
        </>
      )}
      <Textarea
        label="Event types"
        description="Types that it may write, as authentication.*, one a line. Empty allows all that sources may write"
        autosize
        minRows={1}
        {...form.getInputProps('event_types')}
      />
      <MappingTest key={kind} kind={kind} mapping={mapping} />
      {source && (
        <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
