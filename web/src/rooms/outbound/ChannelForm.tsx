import type { components } from '../../api/schema';
import { Chip, Group, Input, PasswordInput, Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Channel } from '../../api/bodies';
import { labelOf, useChannelTypes, type ChannelType } from '../../api/channel-types';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { ChannelSettings } from './ChannelSettings';
import { channelFields, missingFields, settingsOf, TOPICS, type ChannelFields } from './fields';
import { changeChannel, createChannel, useChange } from './queries';

interface Props {
  channel?: Channel;
  onMade?: (id: string) => void;
  onClose: () => void;
}

/** A channel's form, once the table of types is there. */
export function ChannelForm(props: Props) {
  const types = useChannelTypes();
  return types.length > 0 ? <Form types={types} {...props} /> : null;
}

/** Where people are told. Secrets go in and never come out: empty means unchanged. */
function Form({ types, channel, onMade, onClose }: Props & { types: ChannelType[] }) {
  const create = useChange(createChannel);
  const patch = useChange(changeChannel);
  const change = channel ? patch : create;
  const named = (name: string) => types.find(({ type }) => type === name);
  const form = useForm<ChannelFields>({
    initialValues: channelFields(types, channel),
    validate: (values) => ({
      ...(values.name.trim() === '' ? { name: 'Enter a name' } : {}),
      ...missingFields(named(values.type), values, !channel),
    }),
  });
  const type = named(form.values.type);
  const secret = type?.credential;
  const submit = form.onSubmit((values) => {
    const shared = {
      name: values.name.trim(),
      settings: settingsOf(named(values.type), values),
      topics: values.topics as components['schemas']['ChannelTopic'][],
      enabled: values.enabled,
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (channel) {
      patch.mutate(
        { id: channel.id, version: channel.version, ...shared, secret: values.secret || undefined },
        {
          onSuccess: () => {
            announce('Channel changed.');
            onClose();
          },
          onError,
        },
      );
    } else {
      create.mutate(
        {
          ...shared,
          type: values.type as components['schemas']['ChannelType'],
          secret: values.secret.trim(),
        },
        { onSuccess: ({ id }) => onMade?.(id), onError },
      );
    }
  });
  return (
    <FormDialog
      title={channel ? `Change ${channel.name}` : 'Add a channel'}
      size="lg"
      submit={channel ? 'Save' : 'Add channel'}
      error={change.error}
      marked={[
        'name',
        'secret',
        'topics',
        ...Object.keys(form.values.settings).map((name) => `settings.${name}`),
      ]}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {channel ? (
        <TextInput label="Type" value={labelOf(types, channel.type)} readOnly variant="filled" />
      ) : (
        <Select
          label="Type"
          data={types.map(({ type: value, label }) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('type')}
        />
      )}
      <TextInput
        label="Name"
        placeholder={type?.name_placeholder}
        withAsterisk
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {type && <ChannelSettings form={form} fields={type.settings} />}
      {secret && (
        <PasswordInput
          label={secret.label}
          description={secret.description}
          withAsterisk={!channel && secret.required}
          autoComplete="off"
          placeholder={channel ? 'Unchanged' : secret.placeholder}
          aria-invalid={form.errors.secret ? true : undefined}
          {...form.getInputProps('secret')}
        />
      )}
      <Input.Wrapper
        label="Events"
        description="Leave empty to send every event"
        error={form.errors.topics}
        labelElement="div"
      >
        <Chip.Group multiple {...form.getInputProps('topics')}>
          <Group gap={6} mt={8}>
            {TOPICS.map(({ value, label }) => (
              <Chip key={value} value={value} size="xs">
                {label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
