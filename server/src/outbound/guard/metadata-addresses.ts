/** An address where a cloud serves credentials, user data or settings to any process on its machines. */
export interface MetadataAddress {
  /** An address, or a CIDR block if the provider uses any address of it. */
  address: string
  /** Who serves what there. */
  service: string
  /** Documentation of the provider, or of software that uses the address. */
  source: string
}

const cloudInit = (file: string): string =>
  `https://github.com/canonical/cloud-init/blob/main/cloudinit/sources/${file}.py`

/** The never-open list against SSRF: no setting allows these, in any spelling. */
export const metadataAddresses: readonly MetadataAddress[] = [
  {
    address: '169.254.169.254',
    service:
      'Instance metadata of AWS, Google Cloud, Azure, Oracle, IBM, OpenStack, DigitalOcean, Hetzner, Akamai (Linode), Vultr, UpCloud, Exoscale, Huawei, Tencent, Naver, Yandex and others',
    source:
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html, https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service, https://cloud.ibm.com/apidocs/vpc-identity',
  },
  {
    address: 'fd00:ec2::254',
    service: 'AWS: instance metadata over IPv6',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html',
  },
  {
    address: '169.254.170.2',
    service: 'AWS ECS and Fargate: credentials of a task',
    source: 'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html',
  },
  {
    address: '169.254.170.23',
    service: 'AWS EKS Pod Identity: credentials of a pod',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html',
  },
  {
    address: 'fd00:ec2::23',
    service: 'AWS EKS Pod Identity over IPv6',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html',
  },
  {
    address: 'fd20:ce::254',
    service: 'Google Cloud: instance metadata over IPv6',
    source: 'https://cloud.google.com/compute/docs/metadata/querying-metadata',
  },
  {
    address: '169.254.169.252',
    service: 'Google Kubernetes Engine: where the metadata server of a node listens',
    source: 'https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity',
  },
  {
    address: '168.63.129.16',
    service: 'Azure: WireServer, with certificates and settings of the machine',
    source: 'https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16',
  },
  {
    address: '169.254.129.0/24',
    service: 'Azure App Service: tokens of a managed identity (IDENTITY_ENDPOINT, port 8081)',
    source: 'https://learn.microsoft.com/azure/app-service/overview-managed-identity',
  },
  {
    address: '169.254.130.0/24',
    service: 'Azure App Service: tokens of a managed identity (IDENTITY_ENDPOINT, port 8081)',
    source: 'https://learn.microsoft.com/azure/app-service/overview-managed-identity',
  },
  {
    address: 'fd00:c1::a9fe:a9fe',
    service: 'Oracle Cloud: instance metadata over IPv6',
    source: cloudInit('DataSourceOracle'),
  },
  {
    address: '192.0.0.192',
    service: 'Oracle Cloud Classic and Cloud at Customer: instance metadata',
    source:
      'https://docs.oracle.com/en/cloud/cloud-at-customer/occ-get-started/retrieve-predefined-instance-metadata.html',
  },
  {
    address: 'fe80::a9fe:a9fe',
    service: 'OpenStack and Hetzner: instance metadata over IPv6',
    source: 'https://docs.openstack.org/nova/latest/admin/metadata-service.html',
  },
  {
    address: '100.100.100.200',
    service: 'Alibaba Cloud: instance metadata and credentials of a RAM role',
    source: 'https://www.alibabacloud.com/help/en/ecs/user-guide/overview-of-ecs-instance-metadata',
  },
  {
    address: 'fd00:100::100:200',
    service: 'Alibaba Cloud: instance metadata over IPv6',
    source:
      'https://github.com/canonical/cloud-init/blob/main/tests/unittests/sources/test_aliyun.py',
  },
  {
    address: '169.254.0.23',
    service: 'Tencent Cloud: metadata.tencentyun.com, with credentials of a CAM role',
    source: 'https://www.tencentcloud.com/document/product/213/4934',
  },
  {
    address: '100.96.0.96',
    service: 'Volcengine and BytePlus: instance metadata and credentials of a role',
    source: 'https://github.com/volcengine/cello (credential provider)',
  },
  {
    address: '169.254.42.42',
    service: 'Scaleway: instance metadata and user data',
    source: 'https://docs.cloud-init.io/en/latest/reference/datasources/scaleway.html',
  },
  {
    address: 'fd00:42::42',
    service: 'Scaleway: instance metadata over IPv6',
    source: 'https://docs.cloud-init.io/en/latest/reference/datasources/scaleway.html',
  },
  {
    address: 'fd00:a9fe:a9fe::1',
    service: 'Akamai (Linode): instance metadata over IPv6',
    source: 'https://techdocs.akamai.com/cloud-computing/docs/metadata-service-api',
  },
]

/** Names of metadata services. Behind a proxy only the name is known, so names are refused too. */
export const metadataNames: readonly string[] = [
  'metadata.goog',
  'metadata.tencentyun.com',
  'api.metadata.cloud.ibm.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
]
